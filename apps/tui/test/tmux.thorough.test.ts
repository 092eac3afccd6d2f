// The built dashboard in tmux, and without a terminal. The pty tests end it in every other way.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
  const started = `${quoted(process.execPath)} ${quoted(MAIN)}`;
  return startTmux({
    command: `echo before; ${started}; echo "exit $?"; stty -a | grep -oE -- '-?(icanon|echo) '; echo after; sleep 1000`,
    // The shipped build, not the one of tests.
    env: { ...OWN_FOLDERS, QUARTERDECK_URL: url, QUARTERDECK_TOKEN_FILE: tokenFile, NODE_ENV: 'production' },
  });
}

if (problem !== undefined && isCi) {
  it('has what it needs', () => {
    throw new Error(problem);
  });
}

it.skipIf(problem !== undefined)(
  `hands a secret to the clipboard of tmux, and gives the terminal back${problem === undefined ? '' : ` (${problem})`}`,
  async () => {
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
    const screen = await tmux.waitForText('after');
    expect(screen).toMatch(/^before.*^exit 0\n.*^icanon.*^echo/ms);
    expect(screen).not.toContain('Quarterdeck');
    expect(await tmux.ask('#{alternate_on} #{cursor_flag} #{wrap_flag}')).toBe('0 1 1');
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
