// The built program: its start, its pipes, and its questions in a terminal.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import '../../server/test/bundled-threads.ts';
import { programEnvironment } from '../../server/test/program-environment.ts';
import { PASSWORD, startApi, type TestApi } from '../../server/test/start-api.ts';
import { type Pty, startPty } from '../../tui/test/terminal/pty.ts';
import type { Credential } from '../src/account/credentials.ts';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));

let api: TestApi;
let folder: string;
let token: string;
beforeAll(async () => {
  api = await startApi();
  token = (await api.admin.apiToken.create({ body: { name: 'program' } })).token;
  folder = mkdtempSync(join(tmpdir(), 'quarterdeck-program-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await api[Symbol.asyncDispose]();
});

const opened: Pty[] = [];
afterEach(async () => {
  for (const terminal of opened.splice(0)) await terminal[Symbol.asyncDispose]();
});

/** Each test that signs in has a folder of its own. */
const own = (): Record<string, string> => ({ XDG_CONFIG_HOME: folder, QUARTERDECK_KEYRING: 'off' });
const withToken = (): Record<string, string> => ({ QUARTERDECK_URL: api.url, QUARTERDECK_TOKEN: token });

function start(args: readonly string[], env: Record<string, string> = withToken()) {
  const child = spawn(process.execPath, [MAIN, ...args], { env: { ...programEnvironment(), ...own(), ...env } });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, ended };
}

async function run(args: readonly string[], env?: Record<string, string>) {
  const { child, ended } = start(args, env);
  child.stdin.end();
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, out, err };
}

function open(args: readonly string[], env: Record<string, string> = withToken()): Pty {
  const terminal = startPty({ columns: 100, command: [process.execPath, MAIN, ...args], env: { ...own(), ...env } });
  opened.push(terminal);
  return terminal;
}

describe.skipIf(!existsSync(MAIN))('the program', () => {
  it('tells its version, and where the dashboard needs a terminal', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    expect(await run(['--version'])).toEqual({ code: 0, out: `quarterdeck ${version}\n`, err: '' });
    expect(await run([])).toMatchObject({ code: 2, err: expect.stringContaining('not a terminal') });
    expect(await run(['--read-onlyy'])).toMatchObject({ code: 2, err: expect.stringContaining('Unknown option') });
    expect(await run(['--demo', '--json'])).toMatchObject({ code: 0, out: expect.stringMatching(/^\{/) });
  });

  it('ends quietly when its reader has read enough', async () => {
    const body = Array.from({ length: 150 }, (_, n) => ({
      level: 4,
      log: `failure ${'x'.repeat(n)} ${'y'.repeat(900)}`,
    }));
    await api.admin.errlog.append({ body });
    const { child, ended } = start(['errors', '--all', '-o', 'ndjson']);
    child.stdout.once('data', () => child.stdout.destroy());
    expect(await text(child.stderr)).toBe('');
    expect(await ended).toBe(0);
  });

  it('has no colours in a pipe, nor with NO_COLOR in a terminal', async () => {
    expect((await run(['errors', '--limit', '3'])).out).not.toContain('\u001B');
    const terminal = open(['errors', '--limit', '3'], { ...withToken(), NO_COLOR: '1' });
    await terminal.waitForText('LOG_TIME');
    expect(terminal.raw()).not.toContain('\u001B[1m');
    const colored = open(['errors', '--limit', '3']);
    await colored.waitForText('LOG_TIME');
    expect(colored.raw()).toContain('\u001B[1m');
  });

  it('asks for a password without showing it, and signs the dashboard in too', async () => {
    const home = { XDG_CONFIG_HOME: join(folder, 'signing in') };
    const terminal = open(['login', api.url, '--profile', 'here'], home);
    await terminal.waitForText('Username:');
    terminal.type('admin\r');
    await terminal.waitForText('Password of admin');
    terminal.type(`${PASSWORD}\r`);
    await terminal.waitForText('Signed in to');
    expect((await terminal.exit).exitCode).toBe(0);
    expect(terminal.raw()).not.toContain(PASSWORD);
    expect((await run(['users', 'me', '--jq', '.username'], home)).out).toBe('admin\n');

    expect(JSON.parse((await run(['--json'], home)).out)).toMatchObject({ server: api.url, user: 'admin' });
    const dashboard = open([], home);
    await dashboard.waitForText('● live');
    expect(dashboard.text()).toContain('admin');
  });

  it('shows an address and a code, and signs in once a person has confirmed it in a browser', async () => {
    const home = { XDG_CONFIG_HOME: join(folder, 'by code') };
    const terminal = open(['login', api.url, '--code', '--profile', 'here'], home);
    await terminal.waitForText('/device in a browser and type');
    const [, code = ''] = /type\s+([B-Z]{4}-[B-Z]{4})/.exec(terminal.text()) ?? [];
    await api.admin.deviceLogin.confirm({ body: { user_code: code } });
    await terminal.waitForText('Signed in to');
    expect((await terminal.exit).exitCode).toBe(0);
    expect((await run(['users', 'me', '--jq', '.username'], home)).out).toBe('admin\n');
  });

  it('keeps a remembered sign-in of the dashboard over a restart, in a file of the owner', async () => {
    const home = join(folder, 'remembering');
    const env = { XDG_CONFIG_HOME: home, QUARTERDECK_URL: api.url };
    const file = join(home, 'quarterdeck', 'credentials.json');
    const first = open([], env);
    await first.waitForText('[ ] stay signed in');
    first.type(`admin\t${PASSWORD}\t \r`);
    await first.waitForText('● live');
    first.type('Q');
    await first.exit;
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const [{ secret = '' } = {}] = Object.values(JSON.parse(readFileSync(file, 'utf8')) as Record<string, Credential>);

    const again = open([], env);
    await again.waitForText('● live');
    expect(again.raw()).not.toContain('Username');
    again.type(':logout\r');
    await again.waitForText('Username');
    expect(readFileSync(file, 'utf8')).not.toContain('qd_s_');
    for (const { raw } of [first, again]) expect(raw()).not.toContain(secret);
  });

  it('serves tools to an assistant until it closes the input', async () => {
    await api.admin.errlog.append({ body: [{ level: 4, log: 'seen by an assistant' }] });
    const { child, ended } = start(['mcp']);
    const messages = [
      {
        method: 'initialize',
        params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
        id: 1,
      },
      { method: 'notifications/initialized' },
      { method: 'tools/call', params: { name: 'search_errors', arguments: { q: 'seen by an assistant' } }, id: 2 },
    ];
    for (const message of messages) child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const answers: { id: number; result: object }[] = [];
    for await (const line of createInterface(child.stdout)) {
      answers.push(JSON.parse(line));
      if (answers.length === 2) child.stdin.end();
    }
    expect(await ended).toBe(0);
    expect(answers[0]?.result).toMatchObject({ serverInfo: { name: 'quarterdeck' } });
    expect(JSON.stringify(answers[1]?.result)).toContain('seen by an assistant');
  });

  it('asks before a change of many, and takes no for an answer', async () => {
    await api.admin.errlog.append({
      body: ['one', 'two'].map((log) => ({ level: 4, log: `asked ${log}`, service: 'asked' })),
    });
    const args = ['errors', 'resolve', '--service', 'asked'];
    const refused = open(args);
    await refused.waitForText('Resolve 2 error groups? [y/N]');
    refused.type('\r');
    await refused.waitForText('Nothing was changed.');
    expect((await refused.exit).exitCode).toBe(1);
    const agreed = open(args);
    await agreed.waitForText('[y/N]');
    agreed.type('y\r');
    await agreed.waitForText('Resolved 2 of 2 error groups.');
    expect((await agreed.exit).exitCode).toBe(0);
  });

  it('confirms the password where the server wants it', async () => {
    const { id } = await api.person('viewer');
    const home = { XDG_CONFIG_HOME: join(folder, 'confirming') };
    const { child, ended } = start(['login', api.url, '--username', 'admin', '--password-stdin'], home);
    child.stdin.end(`${PASSWORD}\n`);
    expect(await ended).toBe(0);
    // The session has confirmed nothing since a while.
    api.advance(20 * 60_000);
    const terminal = open(['users', 'unlock', String(id)], home);
    await terminal.waitForText('Confirm your password:');
    terminal.type(`${PASSWORD}\r`);
    await terminal.waitForText(`Unlocked user ${id}.`);
    expect((await terminal.exit).exitCode).toBe(0);
  });

  it('is interrupted at a question without doing anything', async () => {
    const terminal = open(['login', api.url, '--username', 'admin'], { XDG_CONFIG_HOME: join(folder, 'interrupted') });
    await terminal.waitForText('Password of admin');
    terminal.type('\u0003');
    await terminal.waitForText('Interrupted');
    expect((await terminal.exit).exitCode).toBe(1);
  });

  it('follows lines as they arrive', async () => {
    const filters = ['--service', 'followed', '--host', 'web 1', '--level-max', 'error', '--filter', 'line OR row'];
    const terminal = open(['lines', 'tail', '-f', '-n', '1', ...filters]);
    let sent = 0;
    const line = { level: 4, host: 'web 1', service: 'followed' };
    const send = () =>
      api.admin.errlog.append({
        body: [
          { ...line, log: `line with level ${sent}`, level: 6 },
          { ...line, log: `line of another host ${sent}`, host: 'web' },
          { ...line, log: `line ${++sent}` },
        ],
      });
    await send();
    await terminal.waitForText('line 1');
    await send();
    await terminal.waitForText('line 2');
    expect(terminal.text().match(/line 1/g)).toHaveLength(1);
    expect(terminal.text()).not.toMatch(/line (?:with|of)/);
    terminal.type('\u0003');
    await terminal.exit;
  });

  it('completes in bash', async () => {
    const script = `
      quarterdeck() { '${process.execPath}' '${MAIN}' "$@"; }
      source <(quarterdeck completion bash)
      COMP_WORDS=(quarterdeck errors re) COMP_CWORD=2
      _quarterdeck
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const child = spawn('bash', ['-c', script], { env: { ...programEnvironment(), ...own() } });
    expect(await text(child.stdout)).toBe('resolve\nreopen\n');
  });

  it('checks a certificate', async () => {
    const ran = await run(['doctor', '-o', 'csv', '--columns', 'check,result'], {
      QUARTERDECK_URL: api.url.replace('http:', 'https:'),
      QUARTERDECK_TOKEN: token,
    });
    expect(ran).toMatchObject({ code: 69, out: 'check,result\nserver,ok\nreach,failed\ncertificate,failed\n' });
  });
});
