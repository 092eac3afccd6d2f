// The built dashboard in tmux: it starts, and it restores the terminal when it ends.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { entry, FakeServer } from './fake-server.ts';
import { serve } from './serve.ts';
import { startTmux, type Tmux, tmuxProblem } from './tmux.ts';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const problem = existsSync(MAIN) ? tmuxProblem() : 'the dashboard is not built: run the build first';
const isCi = Boolean(process.env['CI']);
const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-tui-'));
const pidFile = join(folder, 'pid');
const tokenFile = join(folder, 'token');
const execute = promisify(execFile);
/** Settings of the developer are neither read nor written. */
const OWN_FOLDERS = {
  XDG_CONFIG_HOME: join(folder, 'config'),
  XDG_STATE_HOME: join(folder, 'state'),
  XDG_CACHE_HOME: join(folder, 'cache'),
};

afterAll(() => rmSync(folder, { recursive: true }));

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Starts the dashboard; afterwards prints the exit code and the state of the line discipline. */
async function dashboard(url: string, server: FakeServer): Promise<Tmux> {
  writeFileSync(tokenFile, `${server.token}\n`, { mode: 0o600 });
  const started = `sh -c ${quoted(`echo $$ > ${quoted(pidFile)}; exec ${quoted(process.execPath)} ${quoted(MAIN)}`)}`;
  return startTmux({
    command: `echo before; ${started}; echo "exit $?"; stty -a | grep -oE -- '-?(icanon|echo) '; echo after; sleep 1000`,
    // The shipped build, not the one of tests.
    env: { ...OWN_FOLDERS, QUARTERDECK_URL: url, QUARTERDECK_TOKEN_FILE: tokenFile, NODE_ENV: 'production' },
  });
}

async function expectRestored(tmux: Tmux, exitCode: number): Promise<void> {
  const screen = await tmux.waitForText('after');
  expect(screen).toContain('before');
  expect(screen).toContain(`exit ${exitCode}`);
  expect(screen).toMatch(/^icanon/m);
  expect(screen).toMatch(/^echo/m);
  expect(screen).not.toContain('Quarterdeck');
  expect(await tmux.ask('#{alternate_on} #{cursor_flag} #{wrap_flag}')).toBe('0 1 1');
}

if (problem !== undefined && isCi) {
  it('has what it needs', () => {
    throw new Error(problem);
  });
}

describe.skipIf(problem !== undefined)(
  `the dashboard in a terminal${problem === undefined ? '' : ` (${problem})`}`,
  () => {
    it('comes up, moves, and quits on q', async () => {
      const server = new FakeServer();
      server.errlog = Array.from({ length: 30 }, (_, index) => entry(index + 1));
      await using listening = await serve(server);
      await using tmux = await dashboard(listening.url, server);
      await tmux.waitForText(/● live/);
      await tmux.type(':logs\r');
      await tmux.waitForText('1 of 30');
      await tmux.type('jjj');
      await tmux.waitForText('4 of 30');
      await tmux.resize(120, 40);
      await tmux.waitForText(/admin master +● live.*\n .*\[2 Errors\]/);
      // Back to the first screen, then to the shell.
      await tmux.keys('q');
      await tmux.waitForText('Most frequent');
      await tmux.keys('q');
      await expectRestored(tmux, 0);
    });

    it('hands a secret to the clipboard of the terminal', async () => {
      const server = new FakeServer();
      await using listening = await serve(server);
      await using tmux = await dashboard(listening.url, server);
      await tmux.waitForText('● live');
      await tmux.type('4');
      await tmux.waitForText('No API tokens yet');
      await tmux.type('aci\r');
      await tmux.waitForText(server.secret);
      await tmux.type('y');
      await tmux.waitForText('Sent to the clipboard');
      // By default, tmux accepts the clipboard from its own command only.
      await expect.poll(() => tmux.clipboard().catch(() => '')).toBe(server.secret);
      await tmux.keys('C-c');
      await expectRestored(tmux, 0);
    });

    it.each([
      ['SIGTERM', 143],
      ['SIGHUP', 129],
      ['SIGINT', 130],
    ] as const)('gives the terminal back on %s', async (signal, exitCode) => {
      const server = new FakeServer();
      await using listening = await serve(server);
      await using tmux = await dashboard(listening.url, server);
      await tmux.waitForText('● live');
      process.kill(Number(readFileSync(pidFile, 'utf8')), signal);
      await expectRestored(tmux, exitCode);
    });

    it('gives the terminal back after a crash, and says what happened', async () => {
      const server = new FakeServer();
      const { log: _, ...broken } = entry(1);
      server.errlog = [broken as ReturnType<typeof entry>];
      await using listening = await serve(server);
      await using tmux = await dashboard(listening.url, server);
      await tmux.waitForText('quarterdeck: internal error');
      await tmux.waitForText('exit 1');
      expect(await tmux.ask('#{alternate_on} #{cursor_flag} #{wrap_flag}')).toBe('0 1 1');
    });

    it('leaves at once when the server does not answer', async () => {
      const server = new FakeServer();
      await using listening = await serve(server);
      await using tmux = await startTmux({
        command: `${quoted(process.execPath)} ${quoted(MAIN)}; echo "exit $?"; sleep 1000`,
        env: { ...OWN_FOLDERS, QUARTERDECK_URL: listening.url, NODE_ENV: 'production' },
      });
      await tmux.waitForText('Username');
      await tmux.type(`admin\t${server.password}\r`);
      await tmux.waitForText('● live');
      server.isSlow = true;
      const startedMs = Date.now();
      await tmux.type('q');
      await tmux.waitForText('exit 0');
      server.isSlow = false;
      expect(Date.now() - startedMs).toBeLessThan(5_000);
    });
  },
);

describe.skipIf(!existsSync(MAIN))('the dashboard without a terminal', () => {
  const start = async (env: Record<string, string>, ...args: string[]) => {
    const options = { env: { PATH: process.env['PATH'] ?? '', ...env } };
    try {
      return { code: 0, ...(await execute(process.execPath, [MAIN, ...args], options)) };
    } catch (error) {
      return error as { code: number; stdout: string; stderr: string };
    }
  };

  it('says so in one sentence', async () => {
    const { code, stdout, stderr } = await start({});
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^quarterdeck: not a terminal[^\n]*\n$/);
  });

  it('prints the overview as text and as JSON', async () => {
    const server = new FakeServer();
    server.errlog = [entry(1)];
    await using listening = await serve(server);
    const env = { QUARTERDECK_URL: listening.url, QUARTERDECK_TOKEN: server.token };
    expect(await start(env, '--once')).toMatchObject({ code: 0, stdout: expect.stringContaining('error number 1') });
    const { stdout } = await start(env, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ errors: { total: 1 } });
    expect(await start({ QUARTERDECK_URL: listening.url }, '--once')).toMatchObject({ code: 2 });
  });

  it('refuses a wrong setting with one line', async () => {
    const { code, stderr } = await start({ QUARTERDECK_URL: 'nonsense' });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^quarterdeck: QUARTERDECK_URL [^\n]*"nonsense"[^\n]*\n$/);
  });

  it('knows its version and its help', async () => {
    expect((await start({}, '--version')).stdout).toMatch(/^quarterdeck \d+\.\d+\.\d+\n$/);
    expect((await start({}, '--help')).stdout).toContain('QUARTERDECK_TOKEN');
  });
});
