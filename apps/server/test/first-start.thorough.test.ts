import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, fstatSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { signIn } from '@quarterdeck/sdk';
import { beforeEach, describe, expect, it } from 'vitest';
import { newFolder } from '../../../test/new-folder.ts';
import { MAIN } from './command-line.ts';
import { PROGRAM_FLAGS, programEnvironment } from './program-environment.ts';
import { startServerProcess } from './server-process.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = newFolder();
});

const settings = () => ({ QUARTERDECK_DATA_DIR: dataDir });
const passwordIn = (output: string) => /Sign in as admin with the password (\S+)/.exec(output)?.[1];

describe('the first start', () => {
  it('shows a password that works, and the second start none', async () => {
    const first = await startServerProcess(settings());
    const password = passwordIn(first.output()) ?? '';
    const { login } = await signIn({ url: first.url, username: 'admin', password });
    expect(login.role).toBe('master');
    await first.stop();
    const second = await startServerProcess(settings());
    await second.stop();
    expect(passwordIn(second.output())).toBeUndefined();
  });

  it('shows the password although its port is taken: the next start does not know it', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const failed = startServerProcess({ ...settings(), QUARTERDECK_PORT: String(port) });
    const output = await failed.then(
      () => '',
      (error: Error) => error.message,
    );
    other.close();
    expect(output).toContain('EADDRINUSE');
    const server = await startServerProcess(settings());
    const { login } = await signIn({ url: server.url, username: 'admin', password: passwordIn(output) ?? '' });
    expect(login.role).toBe('master');
    await server.stop();
  });

  it('keeps the password out of the journal, in a file until it has been changed', async () => {
    const file = join(dataDir, 'first-password');
    const { url, text, stop } = await startWithJournal();
    const password = readFileSync(file, 'utf8').trim();
    expect(text()).toContain(`with the password in ${file}`);
    expect(text()).not.toContain(password);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await signIn({ url, username: 'admin', password });
    await stop();

    const second = await startServerProcess(settings());
    expect(existsSync(file)).toBe(true);
    const { client } = await signIn({ url: second.url, username: 'admin', password });
    await client.user.changePassword({ body: { current_password: password, password: 'a password of my own choice' } });
    await second.stop();

    const third = await startServerProcess(settings());
    await third.stop();
    expect(existsSync(file)).toBe(false);
  });
});

/** Starts a server whose output is a file that JOURNAL_STREAM names, as systemd names its socket. */
async function startWithJournal() {
  const path = join(dataDir, '..', `${process.pid}.journal`);
  const journal = openSync(path, 'w+');
  const { dev, ino } = fstatSync(journal);
  const env = { ...programEnvironment(), ...settings(), JOURNAL_STREAM: `${dev}:${ino}` };
  const child = spawn(process.execPath, [...PROGRAM_FLAGS, MAIN], {
    stdio: ['ignore', journal, journal],
    env,
  });
  const text = () => readFileSync(path, 'utf8');
  const ended = once(child, 'close');
  let url: string | undefined;
  while (url === undefined) {
    await delay(50);
    if (child.exitCode !== null) throw new Error(text());
    url = /"url":"([^"]+)".*"msg":"ready"/.exec(text())?.[1];
  }
  closeSync(journal);
  return {
    ...{ url, text },
    async stop() {
      child.kill('SIGTERM');
      await ended;
      rmSync(path);
    },
  };
}
