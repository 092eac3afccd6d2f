// A database that is lost is not taken for a new installation.
import { chmodSync, copyFileSync, cpSync, existsSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newFolder } from '../../../../../test/new-folder.ts';
import { IS_THOROUGH } from '../../../../../test/thoroughness.ts';
import { runHere, runProcess } from '../../../test/command-line.ts';
import {
  DIALECT,
  newPlace,
  PASSWORD,
  type Place,
  type Settings,
  startApi,
  variablesOf,
} from '../../../test/start-api.ts';

const MARKER = 'secret.key.used';

const places: Place[] = [];
async function place(tables?: 'empty'): Promise<Settings> {
  const made = await newPlace(tables);
  places.push(made);
  return made.sharing;
}
/** The data of a server that has stopped, a token of it, and a copy of its folder for each test. */
let origin: Settings;
let token: string;
let used: Settings;
beforeAll(async () => {
  origin = await place();
  await using api = await startApi(origin);
  token = (await api.admin.apiToken.create({ body: {} })).token;
});
beforeEach(() => {
  const DATA_DIR = newFolder();
  cpSync(dirOf(origin), DATA_DIR, { recursive: true });
  used = { ...origin, DATA_DIR };
});
afterAll(async () => {
  for (const made of places) await made[Symbol.asyncDispose]();
});

const dirOf = (settings: Settings) => settings['DATA_DIR'] ?? '';
const fileOf = (settings: Settings) => join(dirOf(settings), 'quarterdeck.db');
const environment = (settings: Settings) =>
  variablesOf({ PORT: '0', SYSLOG_PORT: 'off', ADMIN_PASSWORD: PASSWORD, ...settings });

/** The used folder, beside a database without anything in it, or with the tables of one alone. */
async function loseDatabase(left: 'nothing' | 'tables'): Promise<Settings> {
  const other = await place(left === 'nothing' ? 'empty' : undefined);
  if (DIALECT === 'postgresql') return { ...used, DATABASE_URL: other['DATABASE_URL'] ?? '' };
  rmSync(fileOf(used));
  if (left === 'tables') copyFileSync(fileOf(other), fileOf(used));
  return used;
}

describe('a server whose key has been used', () => {
  it.runIf(IS_THOROUGH)('refuses to start without its database, with one line that names the way out', async () => {
    const { code, out, err } = await runProcess([], environment(await loseDatabase('nothing')));
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/^quarterdeckd: [^\n]+ --begin-anew [^\n]+\n$/);
    expect(err).toContain(DIALECT === 'sqlite' ? dirOf(used) : 'the PostgreSQL database is empty');
  });

  it('creates no tables where it refuses to start, and a new installation with --begin-anew', async () => {
    const lost = await loseDatabase('nothing');
    for (const _ of ['first', 'second']) await expect(startApi(lost)).rejects.toMatchObject({ kind: 'missing' });
    expect(existsSync(fileOf(used))).toBe(false);
    for (const beginAnew of [true, false]) {
      await using api = await startApi(lost, { beginAnew });
      expect((await api.admin.user.list({ query: { page_size: 10 } })).meta.count).toBe(1);
      await expect(api.using(token).user.me()).rejects.toMatchObject({ status: 401 });
    }
  });

  it.runIf(IS_THOROUGH)('refuses --begin-anew where its database exists', async () => {
    const { code, out, err } = await runProcess(['--begin-anew'], environment(used));
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/^quarterdeckd: --begin-anew [^\n]+\n$/);
  });

  it('refuses to start on tables without users', async () => {
    await expect(startApi(await loseDatabase('tables'))).rejects.toMatchObject({ kind: 'missing' });
  });

  it.skipIf(DIALECT === 'postgresql')('refuses to start on an empty file', async () => {
    truncateSync(fileOf(used));
    await expect(startApi(used)).rejects.toMatchObject({ kind: 'missing' });
  });

  it('starts where its database exists, with or without the marker', async () => {
    rmSync(join(dirOf(used), MARKER));
    for (const _ of ['without', 'with']) {
      await using api = await startApi(used);
      expect((await api.using(token).user.me()).username).toBe('admin');
      expect(readdirSync(dirOf(used))).toContain(MARKER);
    }
  });
});

it('closes the files of an existing data folder to other users', async () => {
  const files = readdirSync(dirOf(used)).map((name) => join(dirOf(used), name));
  for (const path of [...files, dirOf(used)]) chmodSync(path, 0o755);
  await using _api = await startApi(used);
  for (const path of files) expect(statSync(path).mode & 0o777, path).toBe(0o600);
  expect(statSync(dirOf(used)).mode & 0o777).toBe(0o700);
});

describe('a key without a marker', () => {
  it('allows a new installation: the key was provisioned before the first start', async () => {
    const { DATA_DIR: dataDir = '', ...rest } = await place('empty');
    copyFileSync(join(dirOf(used), 'secret.key'), join(dataDir, 'secret.key'));
    await using api = await startApi({ DATA_DIR: dataDir, ...rest });
    expect((await api.admin.user.me()).username).toBe('admin');
  });

  it('serves a restored database, or one that other servers use', async () => {
    const folder = newFolder();
    copyFileSync(join(dirOf(used), 'secret.key'), join(folder, 'secret.key'));
    if (DIALECT === 'sqlite') copyFileSync(fileOf(used), join(folder, 'quarterdeck.db'));
    const api = await startApi({ ...used, DATA_DIR: folder });
    expect((await api.using(token).user.me()).username).toBe('admin');
    await api[Symbol.asyncDispose]();
  });
});

it('creates no tables in an empty database for a command', async () => {
  const lost = environment(await loseDatabase('nothing'));
  for (const _ of ['first', 'second']) {
    const { code, err } = await runHere(['audit', 'verify'], lost);
    expect(code).toBe(1);
    expect(err).toMatch(
      DIALECT === 'sqlite' ? /is not the data folder/ : /^quarterdeckd: The PostgreSQL database is empty\.\n$/,
    );
  }
});
