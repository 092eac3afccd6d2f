// Backups that are verified and restored, without a server.
import { spawn } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { copySqlite, digestOf, openDatabase, statement } from '@quarterdeck/core/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { IS_THOROUGH } from '../../../../test/thoroughness.ts';
import { runHere, useDataFolder } from '../../test/command-line.ts';
import { programEnvironment } from '../../test/program-environment.ts';
import { openSecretKey } from '../auth/key-ring.ts';
import type { SecretKey } from '../auth/secrets.ts';
import { openData } from '../cli/open-data.ts';
import { readConfig } from '../settings/config.ts';
import { encodeManifest, type Manifest, readManifest } from './manifest.ts';
import { finishInterruptedRestore } from './restore-journal.ts';

const PASSPHRASE = 'a passphrase for the tests';
const { dataDir: original, run: runOriginal } = useDataFolder();
const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-restore-'));
const OTHER_FILES = ['quarterdeck.db', 'quarterdeck.db-wal', 'secret.key'];
const KILLED = fileURLToPath(new URL('../../test/restore-killed.ts', import.meta.url));

/** The backup, of a server with the user `ada`. */
const backup = join(folder, 'backup.db');

const FROM_LATER = "UPDATE _prisma_migrations SET migration_name = '20990101000000_later' WHERE rowid = 1";

const newFolder = () => mkdtempSync(join(folder, 'data-'));

const openDataOf = (dataDir: string) => openData(readConfig({ QUARTERDECK_DATA_DIR: dataDir }));

/** The folder of another installation, whose only user is `bob`. A killed server has left its write-ahead log. */
const other = join(folder, 'other');
async function makeOther(): Promise<void> {
  const dataDir = newFolder();
  openSecretKey(dataDir);
  await (await openDatabase({ kind: 'sqlite', dataDir })).close();
  await using data = await openDataOf(dataDir);
  const times = { createdMs: 1n, modifiedMs: 1n };
  await data.db.write((tx) =>
    tx.prisma.user.create({ data: { username: 'bob', passwordHash: 'x', role: 'master', ...times } }),
  );
  mkdirSync(other, { mode: 0o700 });
  for (const name of OTHER_FILES) copyFileSync(join(dataDir, name), join(other, name));
}

/** Names of the users of a folder, whose key must belong to its database. */
async function usersOf(dataDir: string): Promise<string[]> {
  await using data = await openDataOf(dataDir);
  return (await data.db.read.prisma.user.findMany()).map(({ username }) => username);
}

/** A copy of the other installation. */
function copyOfOther(): string {
  const dataDir = newFolder();
  cpSync(other, dataDir, { recursive: true });
  return dataDir;
}

const run = (args: readonly string[], dataDir: string, passphrase = PASSPHRASE) =>
  runHere(args, { QUARTERDECK_DATA_DIR: dataDir, QUARTERDECK_BACKUP_PASSPHRASE: passphrase });

beforeAll(async () => {
  await makeOther();
  const made = await runOriginal(['backup', backup], { QUARTERDECK_BACKUP_PASSPHRASE: PASSPHRASE });
  expect(made).toMatchObject({
    code: 0,
    err: expect.stringMatching(/bytes; its key opens with the passphrase; the settings of this command counted\n$/),
  });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A copy of the backup with one changed byte in the file with this suffix. */
function damaged(suffix: string, position: (size: number) => number): string {
  const copy = join(newFolder(), 'backup.db');
  for (const name of ['', '.json', '.key']) copyFileSync(backup + name, copy + name);
  const descriptor = openSync(copy + suffix, 'r+');
  const at = position(statSync(copy + suffix).size);
  const byte = Buffer.alloc(1);
  readSync(descriptor, byte, 0, 1, at);
  writeSync(descriptor, Buffer.of((byte[0] ?? 0) ^ 1), 0, 1, at);
  closeSync(descriptor);
  return copy;
}

function manifestOfBackup(): Manifest {
  const stored = readManifest(`${backup}.json`);
  if (stored === undefined) throw new Error('the backup has no manifest');
  return stored.manifest;
}

/** Writes the manifest that a database file must have to be taken for a backup. It is sealed with `key`. */
async function writeManifest(file: string, changes: Partial<Manifest> = {}, key?: SecretKey): Promise<void> {
  const of = { bytes: statSync(file).size, sha256: await digestOf(file), keySha256: null, name: basename(file) };
  writeFileSync(`${file}.json`, encodeManifest({ ...manifestOfBackup(), ...of, ...changes } as Manifest, key));
}

/** A copy of the database of the backup in which a statement was run. */
async function changed(sql: string): Promise<string> {
  const dataDir = newFolder();
  const copy = join(dataDir, 'quarterdeck.db');
  copyFileSync(backup, copy);
  const db = await openDatabase({ kind: 'sqlite', dataDir });
  await db.write((tx) => tx.sql.run(statement(sql)));
  await db.close();
  const single = join(newFolder(), 'backup.db');
  await copySqlite(copy, single);
  return single;
}

describe('backup verify', () => {
  it('says what a backup holds, with the passphrase and without', async () => {
    const { code, out } = await run(['backup', 'verify', backup], original);
    expect(code).toBe(0);
    expect(out).toMatch(
      /users: 1, .*\nit holds the encrypted key, and the passphrase opens it\nit is authentic: its seal is that of key 1\nthe backup is intact\n$/,
    );
    const without = await run(['backup', 'verify', backup], original, '');
    expect(without.out).toContain('QUARTERDECK_BACKUP_PASSPHRASE is not set, so it was not opened');
    const wrong = await run(['backup', 'verify', backup], original, 'another passphrase');
    expect([wrong.code, wrong.out]).toEqual([1, '']);
    expect(wrong.err).toContain('does not open');
  });

  it.each([
    ['the header of the database', '', () => 20],
    ['the middle of the database', '', (size: number) => Math.floor(size / 2)],
    ['the end of the database', '', (size: number) => size - 1],
    ['the manifest', '.json', (size: number) => Math.floor(size / 2)],
    ['the last byte of the manifest', '.json', (size: number) => size - 1],
    ['the key', '.key', (size: number) => Math.floor(size / 2)],
  ])('finds a changed byte in %s, also without the passphrase', async (_, suffix, position) => {
    const { code, out, err } = await run(['backup', 'verify', damaged(suffix, position)], original, '');
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/is damaged/);
  });

  it('finds a missing key and a cut database', async () => {
    const copy = damaged('', () => 0);
    copyFileSync(backup, copy);
    rmSync(`${copy}.key`);
    expect((await run(['backup', 'verify', copy], original)).err).toMatch(/\.key is missing/);
    copyFileSync(`${backup}.key`, `${copy}.key`);
    writeFileSync(copy, readFileSync(copy).subarray(0, -4096));
    expect((await run(['backup', 'verify', copy], original)).err).toMatch(/is damaged: it has \d+ bytes instead of/);
  });

  it('finds stored lines that were damaged when the backup was made', async () => {
    const copy = await changed(
      `INSERT INTO errlog_segment (id, last_id, n, from_time, to_time, day, packed, bytes, "groups", filter, numbers, texts)
       VALUES (1000, 1000, 1, 1, 1, 0, 1, 1, x'00', x'', x'00', x'00')`,
    );
    const { code, err } = await run(['backup', 'verify', copy], original);
    expect(code).toBe(1);
    expect(err).toMatch(/lines that were damaged when it was made: segment 1000 \(groups/);
  });

  it('refuses the backup of a later version, and names that version', async () => {
    const copy = await changed(FROM_LATER);
    await writeManifest(copy, { quarterdeck: '9.8.7' });
    const { code, err } = await run(['backup', 'verify', copy], original);
    expect(code).toBe(1);
    expect(err).toMatch(/newer version.*Restore it with version 9\.8\.7 or later\.\n$/);
  });
});

describe('restore', () => {
  it('puts the backup with its key into a new folder', async () => {
    const dataDir = newFolder();
    expect(await run(['restore', backup], dataDir)).toMatchObject({ code: 0, err: '' });
    expect(await usersOf(dataDir)).toEqual(['ada']);
    expect(readFileSync(join(dataDir, 'secret.key'))).toEqual(readFileSync(join(original, 'secret.key')));
    expect(readdirSync(dataDir).filter((name) => /restore/.test(name))).toEqual([]);
    for (const name of ['secret.key', 'quarterdeck.db']) expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600);
    await using data = await openDataOf(dataDir);
    const last = await data.db.read.prisma.audit.findFirst({ orderBy: { id: 'desc' } });
    expect(last).toMatchObject({ action: 'backup.restore', actorKind: 'local' });
  });

  it('keeps the data before it as a restore point, which can be restored', async () => {
    const dataDir = copyOfOther();
    const { code, out } = await run(['restore', backup], dataDir);
    expect(code).toBe(0);
    expect(await usersOf(dataDir)).toEqual(['ada']);
    const point = /files before it are in (\S+);/.exec(out)?.[1] ?? '';
    expect(readdirSync(point).sort()).toEqual(OTHER_FILES);
    expect(statSync(point).mode & 0o777).toBe(0o700);
    const file = join(point, 'quarterdeck.db');
    expect(await run(['restore', file], dataDir)).toMatchObject({
      code: 1,
      err: expect.stringContaining('has no seal'),
    });
    expect(await run(['restore', '--accept-unsigned', file], dataDir)).toMatchObject({ code: 0 });
    expect(await usersOf(dataDir)).toEqual(['bob']);
  });

  it('takes a plain database, such as a backup of 0.1.0', async () => {
    const dataDir = newFolder();
    const plain = join(newFolder(), 'plain.db');
    copyFileSync(backup, plain);
    const refused = await run(['restore', '--accept-unsigned', plain], dataDir);
    expect([refused.code, existsSync(join(dataDir, 'quarterdeck.db'))]).toEqual([1, false]);
    expect(refused.err).toMatch(
      /does not have the secret\.key of this backup; put the secret\.key of the backup into /,
    );
    copyFileSync(join(original, 'secret.key'), join(dataDir, 'secret.key'));
    expect(await run(['restore', plain], dataDir)).toMatchObject({ code: 1 });
    expect(await run(['restore', '--accept-unsigned', plain], dataDir)).toMatchObject({ code: 0 });
    expect(await usersOf(dataDir)).toEqual(['ada']);
  });

  it('leaves the data as they are where it cannot succeed, and in a dry run', async () => {
    const dataDir = copyOfOther();
    const sealed = await run(['restore', backup], dataDir, '');
    expect([sealed.code, sealed.err]).toEqual([1, expect.stringContaining('set QUARTERDECK_BACKUP_PASSPHRASE')]);
    expect((await run(['restore', damaged('', (size) => size - 1)], dataDir)).code).toBe(1);
    expect((await run(['restore', join(dataDir, 'nothing')], dataDir)).err).toMatch(/nothing is no file\n$/);
    const dry = await run(['restore', '--dry-run', backup], dataDir);
    expect(dry).toMatchObject({ code: 0, out: expect.stringMatching(/can be restored .*; nothing was changed\n$/) });
    expect(readdirSync(dataDir).sort()).toEqual([...OTHER_FILES, 'quarterdeck.lock'].sort());
    expect(await usersOf(dataDir)).toEqual(['bob']);
  });

  it('is refused while a server has the data', async () => {
    const dataDir = copyOfOther();
    await using _data = await openDataOf(dataDir);
    const { code, err } = await run(['restore', backup], dataDir);
    expect(code).toBe(75);
    expect(err).toMatch(/^quarterdeckd: a server is running on \S+; stop it first, then run this command again\n$/);
  });

  // Of the steps, 3 is the journal: from there on the restore is completed, before it the old data stay.
  it.each(nonEmpty(IS_THOROUGH ? [1, 2, 3, 4, 5, 6, 7, 8, 9] : [2, 6]))(
    'ends with the old or the new data when killed after step %i',
    async (steps) => {
      const dataDir = copyOfOther();
      const child = spawn(
        process.execPath,
        ['--conditions=@quarterdeck/source', KILLED, dataDir, backup, String(steps)],
        {
          env: { ...programEnvironment(), QUARTERDECK_BACKUP_PASSPHRASE: PASSPHRASE },
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      );
      const signal = new Promise((resolve) => child.once('close', (_, by) => resolve(by)));
      const done = (await text(child.stdout)).trim().split('\n');
      expect([done.length, await signal]).toEqual([steps, 'SIGKILL']);
      const isNew = done.includes('journal written');
      const interrupted = await finishInterruptedRestore(dataDir);
      if (!done.includes('journal removed')) {
        expect(interrupted).toMatchObject({ isCompleted: isNew, text: expect.stringContaining('interrupted restore') });
      }
      expect(await usersOf(dataDir)).toEqual([isNew ? 'ada' : 'bob']);
      expect(existsSync(join(dataDir, 'restore.new'))).toBe(false);
      expect(existsSync(join(dataDir, 'quarterdeck.restore'))).toBe(false);
    },
  );
});

const PROMOTE = "UPDATE user SET username = 'eve'";
const UNSIGNED = '--accept-unsigned';

/** Files beside a backup of which its manifest knows nothing. */
const ADDED = ['-journal', '-wal', '.key'];

describe('the seal', () => {
  /** The folder of the backup's installation, in which nothing is restored. */
  const refused = async (file: string, text: RegExp) => {
    const dataDir = newFolder();
    copyFileSync(join(original, 'secret.key'), join(dataDir, 'secret.key'));
    const { code, err } = await run(['restore', file], dataDir);
    expect([code, existsSync(join(dataDir, 'quarterdeck.db'))]).toEqual([1, false]);
    expect(err).toMatch(text);
    return dataDir;
  };

  it('tells of a changed backup whose checksums are right, with the seal of another, of a forger, and without', async () => {
    const file = await changed(PROMOTE);
    const forger = openSecretKey(newFolder());
    const { seal } = readManifest(`${backup}.json`) ?? {};
    await writeManifest(file);
    const text = readFileSync(`${file}.json`, 'utf8');
    for (const [made, code] of [
      [() => writeFileSync(`${file}.json`, text.replace(/}\n$/, `,"seal":${JSON.stringify(seal)}}\n`)), 1],
      [() => writeManifest(file, {}, forger), 1],
      [() => writeManifest(file), 0],
    ] as const) {
      await made();
      const verified = await run(['backup', 'verify', file], original);
      expect(verified).toMatchObject({
        code,
        err: expect.stringMatching(
          code === 1 ? /not authentic: its seal is wrong/ : /^it has no seal, so nobody can tell/,
        ),
      });
      const dataDir = await refused(file, /not authentic.*use --accept-unsigned/);
      expect(await run(['restore', UNSIGNED, file], dataDir)).toMatchObject({ code: 0 });
      expect(await usersOf(dataDir)).toEqual(['eve']);
    }
  });

  it('holds in another folder, but not for another name or with other files', async () => {
    const copy = join(newFolder(), 'backup.db');
    for (const name of ['', '.json', '.key']) copyFileSync(backup + name, copy + name);
    expect(await run(['backup', 'verify', copy], original)).toMatchObject({ code: 0, err: '' });
    const renamed = join(newFolder(), 'newer.db');
    for (const name of ['', '.json', '.key']) copyFileSync(backup + name, renamed + name);
    expect(await run(['backup', 'verify', renamed], original)).toMatchObject({
      code: 1,
      err: expect.stringContaining('it was made as backup.db'),
    });
    await refused(renamed, /was made as backup\.db/);
    const keyless = join(newFolder(), 'keyless.db');
    await runOriginal(['backup', keyless]);
    for (const suffix of ADDED) {
      writeFileSync(keyless + suffix, 'x');
      expect((await run(['backup', 'verify', keyless], original)).err, suffix).toMatch(/does not belong to the backup/);
      rmSync(keyless + suffix);
    }
    expect(await run(['backup', 'verify', keyless], original)).toMatchObject({ code: 0, err: '' });
    // Nobody but the installation has the key.
    expect(await run(['backup', 'verify', copy], newFolder(), '')).toMatchObject({
      code: 0,
      err: expect.stringMatching(/^its seal was not checked: key 1 is not in .*PASSPHRASE to check it/),
    });
  });

  it('is that of the key before after a rotation, until that key is dropped; then restores refuse it', async () => {
    const dataDir = copyOfOther();
    const before = join(newFolder(), 'before.db');
    const after = join(newFolder(), 'after.db');
    expect(await run(['backup', before], dataDir, '')).toMatchObject({ code: 0 });
    expect(await run(['key', 'rotate'], dataDir)).toMatchObject({ code: 0 });
    expect(await run(['backup', after], dataDir, '')).toMatchObject({ code: 0 });
    const verified = async (file: string) => (await run(['backup', 'verify', file], dataDir)).out;
    expect(await verified(before)).toContain('that of key 1\n');
    expect(await verified(after)).toContain('that of key 2\n');
    expect(await run(['restore', before], dataDir)).toMatchObject({ code: 0 });
    expect(await run(['restore', after], dataDir)).toMatchObject({ code: 0 });
    expect(await run(['key', 'drop-old', '--force'], dataDir)).toMatchObject({ code: 0 });
    const late = await run(['backup', 'verify', before], dataDir);
    expect([late.code, late.err]).toEqual([0, expect.stringContaining('key 1 is not in')]);
    expect(await run(['restore', before], dataDir)).toMatchObject({ code: 1 });
  });

  it('is missing in a backup of an earlier version, which is restored on request', async () => {
    const file = join(newFolder(), 'backup.db');
    copyFileSync(backup, file);
    const { name: _, ...first } = manifestOfBackup() as Manifest & { version: 2 };
    writeFileSync(`${file}.json`, encodeManifest({ ...first, version: 1, keySha256: null }));
    expect(await run(['backup', 'verify', file], original)).toMatchObject({
      code: 0,
      err: expect.stringContaining('has no seal'),
    });
    const dataDir = await refused(file, /has no seal/);
    expect(await run(['restore', UNSIGNED, file], dataDir)).toMatchObject({ code: 0 });
  });

  it.each([
    ['trigger planted', "CREATE TRIGGER planted AFTER INSERT ON audit BEGIN UPDATE user SET role = 'master'; END"],
    ['view planted', 'CREATE VIEW planted AS SELECT 1'],
    ['table planted', 'CREATE TABLE planted (x)'],
    ['index planted', 'CREATE INDEX planted ON user (upper(username))'],
    ['table user', 'ALTER TABLE user ADD COLUMN x TEXT GENERATED ALWAYS AS (upper(role))'],
  ])('does not let in a %s, whatever is accepted', async (object, script) => {
    const file = await changed(script);
    expect(await run(['backup', 'verify', file], original)).toMatchObject({
      code: 1,
      err: expect.stringContaining(`not of Quarterdeck, which could run with its writes: ${object}`),
    });
    await writeManifest(file, {}, openSecretKey(original));
    const dataDir = newFolder();
    copyFileSync(join(original, 'secret.key'), join(dataDir, 'secret.key'));
    expect(await run(['restore', UNSIGNED, file], dataDir)).toMatchObject({
      code: 1,
      err: expect.stringContaining(object),
    });
    expect(existsSync(join(dataDir, 'quarterdeck.db'))).toBe(false);
  });
});
