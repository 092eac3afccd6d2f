// Readers of other threads; the connection is the same in this one.
import { describe, expect, it, onTestFinished } from 'vitest';
import { openThreadReader, statement } from '../../src/db/index.ts';
import { dialects, openNew } from './databases.ts';

const add = statement("INSERT INTO event (type, data, time_ms) VALUES (?, '', 1)");
const list = statement('SELECT type FROM event ORDER BY id');
const addSegment = statement(
  `INSERT INTO errlog_segment (id, last_id, n, from_time, to_time, day, packed, bytes, "groups", filter, numbers, texts)
   VALUES (?, 9, 3, 1, 2, 0, TRUE, 7, ?, ?, ?, ?)`,
);
const readSegment = statement('SELECT id, n, packed, "groups", filter FROM errlog_segment WHERE id = ?');

describe.each(dialects)('a reader of a thread on %s', (dialect) => {
  async function openBoth() {
    const database = await openNew(dialect);
    const reader = await openThreadReader(database.readerSettings);
    onTestFinished(() => reader.close());
    return { database, reader };
  }

  it('sees one state of the data in a snapshot, and the newest in the next one', async () => {
    const { database, reader } = await openBoth();
    const before = await reader.snapshot(async (sql) => {
      const first = await sql.all(list);
      await database.write((tx) => tx.sql.run(add, 'late'));
      return [first, await sql.all(list)];
    });
    expect(before).toEqual([[], []]);
    expect(await reader.snapshot((sql) => sql.all(list))).toEqual([{ type: 'late' }]);
  });

  it('returns numbers, truth values and bytes in the same types', async () => {
    const { database, reader } = await openBoth();
    const bytes = Uint8Array.of(0, 0x27, 0x5c, 0xff);
    const none = new Uint8Array(0);
    await database.write((tx) => tx.sql.run(addSegment, 2 ** 52, bytes, none, none, none));
    const row = await reader.snapshot((sql) => sql.get<Record<string, unknown>>(readSegment, 2 ** 52));
    expect(row).toMatchObject({ id: 2 ** 52, n: 3, packed: 1 });
    expect([row?.['groups'], row?.['filter']].map((value) => [...(value as Uint8Array)])).toEqual([[...bytes], []]);
  });

  it('refuses to write, and reads on after a failure', async () => {
    const { reader } = await openBoth();
    await expect(reader.snapshot((sql) => sql.run(add, 'x'))).rejects.toThrow();
    expect(await reader.snapshot((sql) => sql.all(list))).toEqual([]);
  });
});
