// The backup of a SQLite database: a snapshot, and never a damaged one.
import { createHash } from 'node:crypto';
import { open as openFile, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import BetterSqlite3 from 'better-sqlite3';
import { expect, it } from 'vitest';
import { statement } from '../../src/db/open/index.ts';
import { copySqlite } from '../../src/db/sqlite/backup.ts';
import { newSqlite, open } from './databases.ts';

const MEGABYTE = 1024 * 1024;
/** Size that takes two rounds of the event loop, of 16 MiB each. */
const SIZE_MB = 20;

const ADD = statement('INSERT INTO event (type, data, time_ms) VALUES (?, ?, 1)');

it('is a snapshot, whatever is written meanwhile', async () => {
  const place = await newSqlite();
  const { dataDir } = place;
  const database = await open(place);
  await database.write(async (tx) => {
    for (let i = 0; i < SIZE_MB; i += 1) await tx.sql.run(ADD, 'before', 'x'.repeat(MEGABYTE));
  });
  const target = join(dataDir, 'copy.db');
  const copied = copySqlite(join(dataDir, 'quarterdeck.db'), target);
  for (let i = 0; i < 20; i += 1) {
    await database.write((tx) => tx.sql.run(ADD, 'meanwhile', ''));
    await setImmediate();
  }
  const { bytes, sha256, contents } = await copied;
  expect(bytes).toBeGreaterThan(SIZE_MB * MEGABYTE);
  expect(contents.rows).toMatchObject({ event: SIZE_MB, errlog: 0 });
  expect(
    createHash('sha256')
      .update(await readFile(target))
      .digest('hex'),
  ).toBe(sha256);
  expect((await stat(target)).mode & 0o777).toBe(0o600);
  const copy = new BetterSqlite3(target, { readonly: true });
  const counts = copy.prepare('SELECT type, count(*) AS n FROM event GROUP BY type').all();
  copy.close();
  expect(counts).toEqual([{ type: 'before', n: SIZE_MB }]);
});

it('is refused for a damaged database, and leaves no file', async () => {
  const { dataDir } = await newSqlite();
  const file = join(dataDir, 'quarterdeck.db');
  const connection = new BetterSqlite3(file);
  const root = connection.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'event'").pluck().get() as number;
  const pageSize = connection.pragma('page_size', { simple: true }) as number;
  connection.close();
  const handle = await openFile(file, 'r+');
  await handle.write(Buffer.alloc(pageSize, 0xff), 0, pageSize, (root - 1) * pageSize);
  await handle.close();

  await expect(copySqlite(file, join(dataDir, 'copy.db'))).rejects.toMatchObject({ kind: 'damaged' });
  expect((await readdir(dataDir)).filter((name) => name.startsWith('copy'))).toEqual([]);
});
