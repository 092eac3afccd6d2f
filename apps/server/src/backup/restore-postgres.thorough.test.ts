// Backups of PostgreSQL and their restore, with the programs of an installed one.
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase, statement } from '@quarterdeck/core/db';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from '../../../../packages/core/test/postgres.ts';
import { findInstalled } from '../../../../packages/core/test/postgres-programs.ts';
import { runHere } from '../../test/command-line.ts';
import { checkKey } from '../auth/key-check.ts';
import { openSecretKey } from '../auth/key-ring.ts';

const installed = findInstalled();
const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-pg-'));
const dataDir = join(folder, 'data');
mkdirSync(dataDir);
let server: PostgresServer;

beforeAll(async () => {
  if (installed !== undefined) server = await startPostgres([], undefined, installed);
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Creates the data of an installation, and runs a statement in them. */
async function newDatabase(sql?: string): Promise<string> {
  const url = await server.createDatabase();
  const db = await openDatabase({ kind: 'postgresql', url });
  await checkKey(db, openSecretKey(dataDir));
  if (sql !== undefined) await db.write((tx) => tx.sql.run(statement({ sqlite: '', postgresql: sql })));
  await db.close();
  return url;
}

const run = (url: string, ...args: string[]) =>
  runHere(args, { QUARTERDECK_DATA_DIR: dataDir, QUARTERDECK_DATABASE_URL: url });

it.skipIf(installed === undefined)('takes an authentic dump, and neither a changed nor a planted one', async () => {
  const file = join(folder, 'backup.pgdump');
  const url = await newDatabase();
  expect(await run(url, 'backup', file)).toMatchObject({ code: 0 });
  const verified = await run(url, 'backup', 'verify', file);
  expect(verified).toMatchObject({ code: 0, err: '', out: expect.stringContaining('it is authentic') });
  const target = await server.createDatabase();
  expect(await run(target, 'restore', file)).toMatchObject({ code: 0, err: '' });
  expect(readdirSync(dataDir).filter((name) => /restore|dump/.test(name))).toEqual([]);
  const restored = await openDatabase({ kind: 'postgresql', url: target });
  expect(await restored.read.prisma.audit.findFirst({ orderBy: { id: 'desc' } })).toMatchObject({
    action: 'backup.restore',
  });
  await restored.close();

  const planted = join(folder, 'planted.pgdump');
  const other = await newDatabase('CREATE VIEW planted AS SELECT 1 AS x');
  await run(other, 'backup', planted);
  const empty = await server.createDatabase();
  for (const args of [
    ['backup', 'verify'],
    ['restore', '--accept-unsigned'],
  ]) {
    expect(await run(empty, ...args, planted)).toMatchObject({
      code: 1,
      err: expect.stringContaining('VIEW public planted'),
    });
  }

  // The dump of another database under the manifest of the backup, and a dump without one.
  const manifest = readFileSync(`${file}.json`, 'utf8');
  copyFileSync(planted, file);
  expect(await run(empty, 'restore', file)).toMatchObject({ code: 1, err: expect.stringContaining('is damaged') });
  const plain = await newDatabase();
  for (const name of [file, `${file}.json`]) rmSync(name);
  await run(plain, 'backup', file);
  rmSync(`${file}.json`);
  expect(await run(empty, 'restore', file)).toMatchObject({ code: 1, err: expect.stringContaining('has no seal') });
  writeFileSync(`${file}.json`, manifest);
  expect(await run(empty, 'restore', file)).toMatchObject({ code: 1, err: expect.stringContaining('is damaged') });
  rmSync(`${file}.json`);
  expect(await run(empty, 'restore', '--accept-unsigned', file)).toMatchObject({ code: 0 });
});
