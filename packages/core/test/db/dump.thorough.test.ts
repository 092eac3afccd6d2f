// Backups of PostgreSQL with the programs of an installed one: the package for tests has no pg_dump.
import { truncateSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkDump, openDatabase, restoreDump, statement } from '../../src/db/open/index.ts';
import { dumpPostgres } from '../../src/db/postgresql/dump.ts';
import { type PostgresServer, startPostgres } from '../postgres.ts';
import { findInstalled } from '../postgres-programs.ts';
import { createDirectory, open, usePostgres } from './databases.ts';
import { splitSegments } from './partitions.ts';

const postgres = usePostgres();
const installed = findInstalled();
const ADD = statement('INSERT INTO event (type, data, time_ms) VALUES (?, ?, ?)');
/** Five segments. */
const SEGMENTS = `INSERT INTO errlog_segment
  SELECT id, id, 1, 0, 0, 0, true, 0, '', '', '', '' FROM generate_series(1, 5) AS id;`;
const BY_PARTITION = statement('SELECT count(*) AS n FROM errlog_segment GROUP BY tableoid ORDER BY n');
const ALL = statement('SELECT type, data, time_ms FROM event ORDER BY id');

async function onDatabase(url: string, script: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(script);
  await client.end();
}

describe.skipIf(installed === undefined)('with the programs of PostgreSQL, server and client of one version', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres([], undefined, installed);
  });
  afterAll(() => server?.stop());

  it('copies the data of one moment, and restores them into an empty database', async () => {
    const [from, to] = [await server.createDatabase(), await server.createDatabase()];
    const target = join(await createDirectory(), 'copy.pgdump');
    const database = await open({ kind: 'postgresql', url: from });
    for (let i = 0; i < 20; i += 1) await database.write((tx) => tx.sql.run(ADD, 'event', `text ${i}`, i));
    await onDatabase(from, SEGMENTS + splitSegments(3));
    let isWriting = true;
    const writing = (async () => {
      for (let i = 100; isWriting; i += 1) await database.write((tx) => tx.sql.run(ADD, 'event', 'meanwhile', i));
    })();
    const { bytes, sha256, contents } = await dumpPostgres(from, target).finally(() => {
      isWriting = false;
    });
    await writing;
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(await stat(target)).toMatchObject({ size: bytes, mode: 0o100600 });

    await restoreDump(to, target);
    const restored = await open({ kind: 'postgresql', url: to });
    const rows = await restored.read.sql.all(ALL);
    expect(rows).toHaveLength(contents.rows['event'] ?? 0);
    // Partitions are no tables of their own.
    expect(Object.entries(contents.rows).filter(([name]) => name.startsWith('errlog_segment'))).toEqual([
      ['errlog_segment', 5],
    ]);
    expect(await restored.read.sql.all(BY_PARTITION)).toEqual([{ n: 2 }, { n: 3 }]);
    expect(await database.read.sql.all(ALL)).toEqual(expect.arrayContaining(rows));
    await restored.write((tx) => tx.sql.run(ADD, 'event', 'after', 1));
    await expect(restoreDump(to, target)).rejects.toMatchObject({ kind: 'foreign' });

    const plain = await server.createDatabase();
    await (await openDatabase({ kind: 'postgresql', url: plain })).close();
    // The list of a dump tells of some, the others are found in what was restored.
    const planted =
      'CREATE FUNCTION promote() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;' +
      'CREATE TRIGGER promote BEFORE INSERT ON event FOR EACH ROW EXECUTE FUNCTION promote();';
    for (const [script, names] of [
      [planted, 'FUNCTION public promote\\(\\).*, TRIGGER public event promote'],
      ['CREATE VIEW users AS SELECT * FROM "user"', 'VIEW public users'],
      ['CREATE RULE twice AS ON INSERT TO event DO ALSO SELECT 1', 'RULE public event twice'],
      ['ALTER TABLE "user" ENABLE ROW LEVEL SECURITY', 'ROW SECURITY public user'],
      ['CREATE INDEX event_upper ON event (upper(type))', 'index event_upper'],
      [
        'ALTER TABLE event ADD COLUMN twice text GENERATED ALWAYS AS (type || type) STORED',
        'column twice of table event',
      ],
      ['ALTER TABLE event ADD CHECK (length(type) < 1000)', 'constraint event_type_check of table event'],
      ["ALTER TABLE event ALTER COLUMN data SET DEFAULT upper('x')", 'column data of table event'],
    ] as const) {
      const [source, empty] = [await server.createDatabase(plain), await server.createDatabase()];
      await onDatabase(source, script);
      const file = join(await createDirectory(), 'planted.pgdump');
      await dumpPostgres(source, file);
      await expect(restoreDump(empty, file), script).rejects.toMatchObject({
        kind: 'foreign',
        message: expect.stringMatching(new RegExp(`not of Quarterdeck.*: ${names}`)),
      });
      // Nothing is left, so that the right backup can be restored.
      await (await openDatabase({ kind: 'postgresql', url: empty })).close();
    }

    truncateSync(target, Math.floor(bytes / 2));
    await expect(checkDump(target)).rejects.toMatchObject({ kind: 'damaged' });
    const empty = await server.createDatabase();
    await expect(restoreDump(empty, target)).rejects.toMatchObject({ kind: 'io' });
    await (await openDatabase({ kind: 'postgresql', url: empty })).close();
  });
});

it.skipIf(installed === undefined || installed.version >= 18)(
  'refuses a server that is newer than pg_dump, and leaves no file',
  async () => {
    const url = await (await postgres()).createDatabase();
    const folder = await createDirectory();
    await expect(dumpPostgres(url, join(folder, 'copy'))).rejects.toMatchObject({
      message: expect.stringMatching(/^pg_dump \d+ cannot read PostgreSQL \d+; install the client programs of /),
    });
    await expect(stat(join(folder, 'copy'))).rejects.toMatchObject({ code: 'ENOENT' });
  },
);
