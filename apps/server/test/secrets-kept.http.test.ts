// Plaintext secrets: the test runs every call that creates, takes or shows one, on a server of its own at the most
// verbose log level. Then it searches all stored data and all output for them.
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase, statement } from '@quarterdeck/core/db';
import { createClient, signIn } from '@quarterdeck/sdk';
import { Secret, TOTP } from 'otpauth';
import { expect, it } from 'vitest';
import { newSecret } from '../src/auth/secrets.ts';
import { runProcess } from './command-line.ts';
import { filesOf, tablesOf } from './contents.ts';
import { startServerProcess, watchProcessList } from './server-process.ts';
import { DIALECT, newPlace } from './start-api.ts';

const words = () => `canary ${randomUUID()}`;

it('are nowhere but in the answers that made them', async () => {
  await using place = await newPlace();
  const outside = mkdtempSync(join(tmpdir(), 'quarterdeck-outside-'));
  const dataDir = place.sharing['DATA_DIR'] ?? '';
  const secrets: Record<string, string> = {};
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
    ...Object.fromEntries(Object.entries(place.sharing).map(([name, value]) => [`QUARTERDECK_${name}`, value])),
    QUARTERDECK_PORT: '0',
    QUARTERDECK_SYSLOG_PORT: 'off',
    QUARTERDECK_LOG_LEVEL: 'debug',
    QUARTERDECK_BOOTSTRAP_FILE: inFile('bootstrap.json', JSON.stringify(bootstrap)),
  };
  const found: Record<string, string> = {};
  // A text that is no secret, to check that the search works.
  const visible = `visible-${randomUUID()}`;
  const runCommands = async (when: string) => {
    const password = keep(`password by standard input ${when}`, words());
    const reset = await runProcess(['user', 'reset-password', '--password-stdin', visible], settings, password);
    const made = await runProcess(['user', 'reset-password', 'boss'], settings);
    const token = await runProcess(['token', 'create', '--user', 'boss', '--name', 'x'], settings);
    keep(`password that was made up ${when}`, made.out.trim());
    keep(`token by command ${when}`, token.out.trim());
    expect([reset.code, made.code, token.code]).toEqual([0, 0, 0]);
    found[`what commands say ${when}`] = [reset.err, made.err, token.err].join('\n');
  };
  const server = await startServerProcess(settings);
  const { url } = server;
  try {
    await useEverySecret(url, visible, secrets, keep);
    await runCommands('beside the server');
    Object.assign(found, prefixed('while it runs: ', filesOf(dataDir)), await writeAheadLog(settings));
    if (DIALECT === 'sqlite') {
      const file = join(outside, 'backup.db');
      expect((await runProcess(['backup', file], settings)).code).toBe(0);
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
  rmSync(outside, { recursive: true });

  for (const place of ['table user', DIALECT === 'sqlite' ? 'the backup' : 'the write-ahead log']) {
    expect(found[place], place).toContain(visible);
  }
  if (DIALECT === 'sqlite') expect(found['while it runs: file quarterdeck.db-wal']).toContain(visible);
  expect(found['the log']).toContain('/admin-api/user/me/2fa/confirm');
  expect([...seen].some((line) => line.includes(`reset-password --password-stdin ${visible}`))).toBe(true);

  expect(Object.keys(secrets).length).toBeGreaterThan(25);
  const leaks = Object.entries(secrets).flatMap(([name, secret]) =>
    Object.entries(found)
      .filter(([, content]) => formsOf(secret).some((form) => content.includes(form)))
      .map(([where]) => `${name} in ${where}`),
  );
  expect(leaks).toEqual([]);
}, 60_000);

const prefixed = (prefix: string, places: Record<string, string>) =>
  Object.fromEntries(Object.entries(places).map(([name, content]) => [prefix + name, content]));

/** A secret, and the parts and encodings of it that are secret as well. */
function formsOf(secret: string): string[] {
  expect(secret.length).toBeGreaterThan(8);
  const forms = [secret, Buffer.from(secret).toString('hex'), Buffer.from(secret).toString('base64').slice(0, -3)];
  // The random part of our own, without prefix and checksum.
  if (secret.startsWith('qd_')) forms.push(secret.slice(5, 48));
  // The seed of a second factor as bytes.
  if (/^[A-Z2-7]{32}$/.test(secret)) forms.push(Buffer.from(Secret.fromBase32(secret).bytes).toString('latin1'));
  return forms;
}

/** Creates, sends and shows every kind of secret over HTTP, in valid and invalid requests. */
async function useEverySecret(
  url: string,
  username: string,
  secrets: Readonly<Record<string, string>>,
  keep: (name: string, secret: string) => string,
): Promise<void> {
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(url + path, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body), headers });
  const boss = await signIn({ url, username: 'boss', password: secrets['bootstrap password'] ?? '' });
  keep('session', boss.login.token);
  await createClient({ url, apiToken: secrets['bootstrap token'] ?? '' }).user.me();

  const first = keep('first password', words());
  const { id } = await boss.client.user.create({ body: { username, password: first, role: 'operator' } });
  const person = await signIn({ url, username, password: first });
  keep('their session', person.login.token);
  const password = keep('second password', words());
  await person.client.user.changePassword({ body: { current_password: first, password } });
  const { secret } = await person.client.user.beginSecondFactor({ body: { password } });
  keep('seed', secret);
  const code = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  const { recovery_codes } = await person.client.user.confirmSecondFactor({ body: { otp: code() } });
  for (const [i, one] of recovery_codes.entries()) {
    keep(`recovery code ${i}`, one);
    keep(`recovery code ${i}, plain`, one.replaceAll('-', ''));
  }
  const again = await signIn({ url, username, password, otp: recovery_codes[0] });
  keep('session by recovery code', again.login.token);
  await again.client.user.confirm({ body: { password, otp: recovery_codes[1] } });

  const made = await boss.client.apiToken.create({ body: { name: 'made' } });
  keep('API token', made.token);
  const rotated = await boss.client.apiToken.rotate({ params: { id: made.id }, body: { grace: 60 } });
  keep('rotated API token', rotated.token);
  for (const apiToken of [made.token, rotated.token]) await createClient({ url, apiToken }).user.me();
  const agent = await boss.client.agent.register({ body: { node_id: 'n', hostname: 'h' } });
  keep('agent', agent.secret);
  await createClient({ url, apiToken: agent.secret }).agent.heartbeat({ params: { id: agent.id }, body: {} });

  // Failures: wrong passwords, secrets in wrong places, truncated bodies.
  const wrong = keep('wrong password', words());
  const misplaced = keep('password as a name', words());
  const login = '/admin-api/user/login';
  await post(login, { username, password: wrong });
  await post('/admin-api/user/me/confirm', { password: wrong }, { 'edge-token': person.login.token });
  await post(login, { username: misplaced, password: wrong });
  await post(login, { username, password: wrong, otp: keep('wrong code', words()) });
  await post(login, `{"username": "${username}", "password": "${wrong}`);
  await post('/admin-api/api_token', { name: 3, token: rotated.token }, { 'API-Token': rotated.token });
  const headers = { 'API-Token': rotated.token };
  await fetch(`${url}/admin-api/api_token/${rotated.token}?token=${rotated.token}`, { headers });
  await fetch(`${url}/${rotated.token}`, { headers: { Authorization: `Basic ${rotated.token}` } });
  await boss.client.apiToken.revoke({ body: { tokens: [rotated.token] } });
  await fetch(`${url}/admin-api/user/me`, { headers });
  await person.client.user.logout();
  await boss.client.user.resetSecondFactor({ params: { id } });
}

/** The write-ahead log of PostgreSQL, which is on this host; that of SQLite is among the files of the data folder. */
async function writeAheadLog(settings: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  if (DIALECT === 'sqlite') return {};
  const db = await openDatabase({ kind: 'postgresql', url: settings['QUARTERDECK_DATABASE_URL'] ?? '' });
  const where = await db.read.sql.get<{ folder: string }>(
    statement("SELECT current_setting('data_directory') AS folder"),
  );
  await db.close();
  const folder = join(where?.folder ?? '', 'pg_wal');
  expect(existsSync(folder)).toBe(true);
  return { 'the write-ahead log': Object.values(filesOf(folder)).join('\n') };
}
