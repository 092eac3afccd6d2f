// Plaintext secrets: the test runs every call that creates, takes or shows one, on a server of its own at the most
// verbose log level. Then it searches all stored data and all output for them.
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase, statement } from '@quarterdeck/core/db';
import { createClient } from '@quarterdeck/sdk';
import { expect, it } from 'vitest';
import { newFolder } from '../../../test/new-folder.ts';
import { newSecret } from '../src/auth/secrets.ts';
import { runHere, runProcess } from './command-line.ts';
import { filesOf, tablesOf } from './contents.ts';
import { leaksOf, type Secrets, useEverySecret, words } from './secrets.ts';
import { startServerProcess, watchProcessList } from './server-process.ts';
import { DIALECT, newPlace, variablesOf } from './start-api.ts';

const WAL = 'the write-ahead log';

it('are nowhere but in the answers that made them', async () => {
  const startMs = Date.now() - 1000;
  await using place = await newPlace();
  const outside = newFolder();
  const dataDir = place.sharing['DATA_DIR'] ?? '';
  const secrets: Secrets = {};
  const keep = (name: string, secret: string) => {
    secrets[name] = secret;
    return secret;
  };
  const inFile = (name: string, secret: string) => {
    writeFileSync(join(outside, name), secret, { mode: 0o600 });
    return join(outside, name);
  };
  const processes = watchProcessList();
  const bootstrap = {
    users: [{ username: 'boss', role: 'master', password_file: inFile('boss', keep('bootstrap password', words())) }],
    api_tokens: [
      { user: 'boss', name: 'ci', token_file: inFile('token', keep('bootstrap token', newSecret('api_token'))) },
    ],
  };
  const settings = {
    ...variablesOf(place.sharing),
    QUARTERDECK_LOG_LEVEL: 'debug',
    QUARTERDECK_BOOTSTRAP_FILE: inFile('bootstrap.json', JSON.stringify(bootstrap)),
  };
  const found: Record<string, string> = {};
  // A text that is no secret, to check that the search works.
  const visible = `visible-${randomUUID()}`;
  const runCommands = async (when: string) => {
    const password = keep(`password by standard input ${when}`, words());
    const reset = await runProcess(['user', 'reset-password', '--password-stdin', visible], settings, password);
    const made = await runHere(['user', 'reset-password', 'boss'], settings);
    const token = await runHere(['token', 'create', '--user', 'boss', '--name', 'x'], settings);
    keep(`password that was made up ${when}`, made.out.trim());
    keep(`token by command ${when}`, token.out.trim());
    expect([reset.code, made.code, token.code]).toEqual([0, 0, 0]);
    found[`what commands say ${when}`] = [reset.err, made.err, token.err].join('\n');
  };
  const server = await startServerProcess(settings);
  const { url } = server;
  try {
    const boss = { username: 'boss', password: secrets['bootstrap password'] ?? '' };
    await useEverySecret(url, boss, visible, secrets);
    await createClient({ url, apiToken: secrets['bootstrap token'] ?? '' }).user.me();
    await runCommands('beside the server');
    Object.assign(found, prefixed('while it runs: ', filesOf(dataDir)), await writeAheadLog(settings, startMs));
    if (DIALECT === 'sqlite') {
      const file = join(outside, 'backup.db');
      expect((await runHere(['backup', file], settings)).code).toBe(0);
      found['the backup'] = readFileSync(file, 'latin1');
    }
  } finally {
    await server.stop();
  }
  await runCommands('without a server');

  const db = await openDatabase(
    DIALECT === 'sqlite'
      ? { kind: 'sqlite', dataDir }
      : { kind: 'postgresql', url: place.sharing['DATABASE_URL'] ?? '' },
  );
  Object.assign(found, await tablesOf(db), prefixed('afterwards: ', filesOf(dataDir)));
  await db.close();
  found['the log'] = server.output();
  const seen = await processes.stop();
  found['the process list'] = [...seen].join('\n');

  for (const place of ['table user', DIALECT === 'sqlite' ? 'the backup' : WAL]) {
    const contents = Object.entries(found).filter(([name]) => name.startsWith(place));
    expect(
      contents.some(([, content]) => content.includes(visible)),
      place,
    ).toBe(true);
  }
  if (DIALECT === 'sqlite') expect(found['while it runs: file quarterdeck.db-wal']).toContain(visible);
  expect(found['the log']).toContain('/admin-api/user/me/2fa/confirm');
  expect([...seen].some((line) => line.includes(`reset-password --password-stdin ${visible}`))).toBe(true);

  expect(Object.keys(secrets).length).toBeGreaterThan(25);
  expect(leaksOf(secrets, found)).toEqual([]);
}, 60_000);

const prefixed = (prefix: string, places: Record<string, string>) =>
  Object.fromEntries(Object.entries(places).map(([name, content]) => [prefix + name, content]));

/** The write-ahead log of PostgreSQL, which is on this host; that of SQLite is among the files of the data folder. */
async function writeAheadLog(
  settings: Readonly<Record<string, string>>,
  sinceMs: number,
): Promise<Record<string, string>> {
  if (DIALECT === 'sqlite') return {};
  const db = await openDatabase({ kind: 'postgresql', url: settings['QUARTERDECK_DATABASE_URL'] ?? '' });
  const where = await db.read.sql.get<{ folder: string }>(
    statement("SELECT current_setting('data_directory') AS folder"),
  );
  await db.close();
  const folder = join(where?.folder ?? '', 'pg_wal');
  expect(existsSync(folder)).toBe(true);
  // Other tests write gigabytes to the same log, whose files are used again.
  const isRecent = ({ path }: { path: string }) => (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= sinceMs;
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  const recent = files.map(({ name }) => ({ name, path: join(folder, name) })).filter(isRecent);
  return Object.fromEntries(recent.map(({ name, path }) => [`${WAL} ${name}`, readFileSync(path, 'latin1')]));
}
