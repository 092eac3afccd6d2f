import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signIn } from '@quarterdeck/sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startServerProcess } from './server-process.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'quarterdeck-first-start-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const settings = () => ({
  QUARTERDECK_DATA_DIR: dataDir,
  QUARTERDECK_PORT: '0',
  QUARTERDECK_SYSLOG_PORT: 'off',
});
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
});
