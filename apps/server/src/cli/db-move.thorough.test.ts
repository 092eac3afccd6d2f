// `db move` as people run it, from SQLite to PostgreSQL and back.
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase, statement } from '@quarterdeck/core/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from '../../../../packages/core/test/postgres.ts';
import { useDataFolder } from '../../test/command-line.ts';

const { dataDir, run, runProcess, withData } = useDataFolder();
const TEXT = 'a text that the search must find';
const FIND_TEXT = statement('SELECT rowid AS id FROM errlog_search WHERE errlog_search MATCH ?');
const FIND_KEY = statement("SELECT id FROM errlog_fingerprint WHERE fingerprint = 'x'");

let server: PostgresServer;
let url: string;
beforeAll(async () => {
  server = await startPostgres();
  url = await server.createDatabase();
  await withData((db) =>
    db.write(async ({ prisma }) => {
      const times = { firstSeen: 1n, logTime: 1n };
      const group = { src: 0, nodeType: 1, level: 4, fingerprint: 'x', log: TEXT, count: 1n, ...times };
      await prisma.errlog.create({ data: { ...group, textStale: false } });
    }),
  );
});
afterAll(() => server?.stop());

describe('db move', () => {
  it('moves to PostgreSQL and back, and tells what is left to do', { timeout: 120_000 }, async () => {
    const before = join(dataDir, 'before-move.db');
    expect(await run(['backup', before])).toMatchObject({ code: 0 });
    const there = await runProcess(['db', 'move', '--to-env', 'NEW_DATABASE'], { NEW_DATABASE: url });
    expect(there).toMatchObject({ code: 0 });
    expect(there.out).toMatch(/^\d+ rows of \d+ tables are moved and compared, in \d+ s\nSHA-256 .*: [0-9a-f]{64}\n/);
    expect(there.out).toContain('Now set QUARTERDECK_DATABASE_URL to the address in NEW_DATABASE');
    expect(there.out).toContain(`The old database ${join(dataDir, 'quarterdeck.db')} is unchanged`);
    expect(there.err).toContain('copying the rows\ncomparing the rows\nboth databases have the same rows');
    expect(there.out + there.err).not.toContain(new URL(url).password);

    const onPostgres = { QUARTERDECK_DATABASE_URL: url };
    expect(await run(['audit', 'verify'], onPostgres)).toMatchObject({ code: 0 });
    const folder = join(dataDir, 'back');
    const back = await run(['db', 'move', '--to-file', join(folder, 'quarterdeck.db')], onPostgres);
    expect(back).toMatchObject({ code: 0 });
    expect(back.out).toContain(`set QUARTERDECK_DATA_DIR to ${folder}`);
    expect(back.out).toContain(`Copy secret.key from ${dataDir}`);
    expect(existsSync(join(folder, 'secret.key'))).toBe(false);

    copyFileSync(join(dataDir, 'secret.key'), join(folder, 'secret.key'));
    expect(await run(['audit', 'verify'], { QUARTERDECK_DATA_DIR: folder })).toMatchObject({ code: 0 });
    // Backups from before and after a move are authentic.
    const moved = { QUARTERDECK_DATA_DIR: folder };
    const after = join(folder, 'after-move.db');
    expect(await run(['backup', after], moved)).toMatchObject({ code: 0 });
    for (const file of [before, after]) {
      expect(await run(['backup', 'verify', file], moved)).toMatchObject({ code: 0, err: '' });
    }
    await using db = await openMoved(folder);
    expect(await db.read.prisma.errlog.findMany()).toMatchObject([{ id: 1n, log: TEXT, textStale: false }]);
    expect(await db.read.sql.all(FIND_TEXT, 'sea')).toEqual([{ id: 1 }]);
    expect(await db.read.sql.all(FIND_KEY)).toEqual([{ id: 1 }]);
  });

  it('refuses a target with data and a folder without an installation', async () => {
    const used = await server.createDatabase();
    await (await openDatabase({ kind: 'postgresql', url: used })).close();
    const refused = await run(['db', 'move', '--to-env', 'NEW'], { NEW: used });
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('is not empty') });
    const folder = join(dataDir, 'nothing');
    mkdirSync(folder);
    const lost = await run(['db', 'move', '--to-env', 'NEW'], { NEW: used, QUARTERDECK_DATA_DIR: folder });
    expect(lost).toMatchObject({ code: 1, err: expect.stringContaining('is not the data folder of a started server') });
  });
});

async function openMoved(folder: string) {
  const db = await openDatabase({ kind: 'sqlite', dataDir: folder, mustExist: true });
  return { ...db, [Symbol.asyncDispose]: () => db.close() };
}
