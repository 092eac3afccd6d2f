// The promise of README.md at 80 x 24: a new user starts a server, signs in, and finds the errors of one client.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { totpCode } from '../../apps/server/test/fixtures/fixture-people.ts';
import { type Nginx, startNginx } from '../../apps/server/test/nginx-process.ts';
import { modulesOf, qrModules } from '../../apps/tui/test/qr-code.ts';
import { startTmux, type Tmux, tmuxProblem } from '../../apps/tui/test/tmux.ts';
import { freePort } from '../free-port.ts';
import { findProgram } from '../programs.ts';
import { ROOT } from './documents.ts';

const SERVER = join(ROOT, 'apps/server/bin/quarterdeckd');
const DASHBOARD = join(ROOT, 'apps/cli/dist/main.js');
const CLIENTS = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];
const CLIENT = '127.0.0.2';

const nginx = findProgram('nginx');
const isBuilt = existsSync(DASHBOARD) && existsSync(join(ROOT, 'apps/server/dist'));
const missing = isBuilt ? tmuxProblem() : 'the programs are not built: run the build first';
const problem = missing ?? (nginx === undefined ? 'nginx is not installed' : undefined);
const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-ten-minutes-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A server that has never run before. */
interface FreshServer extends AsyncDisposable {
  readonly url: string;
  readonly syslogPort: number;
  /** The password that the first start prints. */
  readonly password: string;
}

/** Reads what the server prints until it is ready. */
async function firstWords(server: ChildProcess): Promise<string> {
  let words = '';
  for await (const chunk of server.stdout ?? []) {
    words += String(chunk);
    if (words.includes('"msg":"ready"')) return words;
  }
  throw new Error(`the server ended: ${words}`);
}

async function startFreshServer(): Promise<FreshServer> {
  const [port, syslogPort] = [await freePort(), await freePort()];
  // The settings of whoever runs the tests are not those of a new user.
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('QUARTERDECK_'));
  const server = spawn(SERVER, [], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...Object.fromEntries(own),
      // The `node` that the script finds: the one of the system may be too old.
      PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
      QUARTERDECK_PORT: String(port),
      QUARTERDECK_SYSLOG_PORT: String(syslogPort),
      QUARTERDECK_DATA_DIR: join(folder, 'data'),
    },
  });
  const words = await firstWords(server);
  const password = /admin with the password (\S+)/.exec(words)?.[1];
  if (password === undefined) throw new Error(`no password in: ${words}`);
  return {
    url: `http://127.0.0.1:${port}`,
    syslogPort,
    password,
    async [Symbol.asyncDispose]() {
      const ended = once(server, 'exit');
      server.kill('SIGTERM');
      await ended;
    },
  };
}

/** Starts the dashboard; Enter starts it again after it has ended. */
function startDashboard(url: string): Promise<Tmux> {
  const once = `'${process.execPath}' '${DASHBOARD}'; echo "ended $?"; read _`;
  return startTmux({
    command: `${once}; ${once}`,
    env: {
      XDG_CONFIG_HOME: join(folder, 'config'),
      XDG_STATE_HOME: join(folder, 'state'),
      XDG_CACHE_HOME: join(folder, 'cache'),
      QUARTERDECK_URL: url,
      NODE_ENV: 'production',
    },
  });
}

async function signIn({ keys, type, waitForText }: Tmux, password: string): Promise<void> {
  await waitForText('Sign in to Quarterdeck');
  await type('admin');
  await keys('Tab');
  await type(password);
  await keys('Tab', 'Space');
  await waitForText('[x] stay signed in for 31 days');
  await keys('Enter');
  expect(await waitForText('No errors.')).toContain('[1 Overview]');
}

/** Returns the URI beside a QR code that is 39 columns wide. */
const uriBeside = (screen: string): string => {
  const texts = screen.split('\n').map((row) => row.slice(41).trim());
  return /otpauth:\S+period=30/.exec(texts.join(''))?.[0] ?? '';
};

async function setUpSecondFactor({ keys, type, capture, waitForText }: Tmux, password: string): Promise<void> {
  await keys('7');
  await waitForText('no second factor: Y');
  await keys('Y');
  await waitForText('Set up a second factor');
  await type(password);
  await keys('Enter');
  const screen = await waitForText('Enter asks for the');
  const [secret = ''] = /(?:[A-Z2-7]{4} ){7}[A-Z2-7]{4}/.exec(screen) ?? [];
  const uri = uriBeside(screen);
  expect(uri).toContain(`secret=${secret.replaceAll(' ', '')}&`);
  const code = modulesOf(uri.replace('&algorithm=SHA1&digits=6&period=30', ''));
  // The text may be there before the whole code is drawn.
  await expect.poll(async () => qrModules((await capture()).split('\n'), code.length)).toEqual(code);

  await keys('Enter');
  await waitForText('Confirm with the first code');
  await type(totpCode(secret.replaceAll(' ', ''), Date.now()));
  await keys('Enter');
  const codes = await waitForText('Your recovery codes');
  expect(codes.match(/(?:[A-Z2-7]{4}-){5}[A-Z2-7]{4}/g)).toHaveLength(10);
  await keys('Escape');
  await waitForText('✓ second factor on');
}

async function makeErrors(web: Nginx): Promise<void> {
  for (const client of CLIENTS) {
    for (const page of ['cart', 'basket']) {
      expect(await web.get(`/${page}.html`, client)).toBe(404);
      expect(await web.get(`/up/${page}`, client)).toBe(502);
    }
  }
}

async function findLinesOfClient({ keys, type, waitForText }: Tmux): Promise<void> {
  await type(':since 1h');
  await keys('Enter');
  await waitForText(/\[2 Errors\].* last 1h +following/);
  await waitForText(/■ ERROR +6 +\S+ nginx +connect\(\) failed/);
  await type('/refused');
  await keys('Enter');
  await waitForText(/\/refused +1 of 1/);
  // At least four of the lines are below the error, with the fields that differ.
  await keys('Enter');
  await waitForText(/Time +Host +client +upstream +request(?:.*\n){4}.*127\.0\.0\.\d +http:\S+ +GET \/up\//);
  await keys('Enter');
  await waitForText(/\[8 Lines\].*\/group:\d+ +6 of 6/);
  await keys('/');
  await waitForText('F1 language');
  await type(`client:${CLIENT}`);
  await keys('Enter');
  const lines = await waitForText(/\/client:127\.0\.0\.2 +4 of 4/);
  expect(lines.match(/■ ERROR .* GET /g)).toHaveLength(4);
  await keys('Enter');
  await waitForText(/client +127\.0\.0\.2\n +server +shop\.example\.com/);
  await keys('Escape');
  await waitForText('[8 Lines]');
  await keys('Escape');
  await waitForText(/\/group:\d+ +6 of 6/);
  await keys('Escape');
  await waitForText('2 Errors › ■ ERROR');
}

async function mute({ keys, waitForText }: Tmux): Promise<void> {
  await keys('M');
  await waitForText('[1 day]');
  await keys('Left');
  await waitForText('[1 hour]');
  await keys('Enter');
  await waitForText(/✓ Muted group \d+\. Press U to undo\./);
  await waitForText('○ muted · 6 times in the last 1h');
}

async function followLines({ keys, type, waitForText }: Tmux, web: Nginx): Promise<void> {
  await type(':lines');
  await keys('Enter');
  await waitForText(/\[8 Lines\].* last 1h +following +\d+ of \d+/);
  await web.get('/late.html', '127.0.0.4');
  await waitForText(/■ ERROR .* 127\.0\.0\.4 /);
}

async function saveView({ keys, type, waitForText }: Tmux): Promise<void> {
  await type(`/client:${CLIENT}`);
  await keys('Enter');
  await waitForText(/\/client:127\.0\.0\.2 +4 of 4/);
  await type("'s");
  await waitForText('name of the view:');
  await type('client two');
  await keys('Enter');
  await waitForText('✓ Saved the view client two.');
}

if (problem !== undefined && process.env['CI'] !== undefined) {
  it('has what it needs', () => {
    throw new Error(problem);
  });
}

it.skipIf(problem !== undefined)(
  `a new user finds the errors of one client${problem === undefined ? '' : ` (${problem})`}`,
  async () => {
    await using server = await startFreshServer();
    await using tmux = await startDashboard(server.url);
    await signIn(tmux, server.password);
    await setUpSecondFactor(tmux, server.password);

    await tmux.keys('2');
    await tmux.waitForText('error_log syslog:server=127.0.0.1:5140 info;');
    await using web = await startNginx(nginx ?? '', server.syslogPort);
    await makeErrors(web);
    await findLinesOfClient(tmux);
    await mute(tmux);
    await followLines(tmux, web);
    await saveView(tmux);

    await tmux.keys('Q');
    await tmux.waitForText('ended 0');
    await tmux.keys('Enter');
    await tmux.waitForText('● live');
    await tmux.keys('8');
    await tmux.waitForText(/8 Lines +'1 client two/);
    await tmux.type("'1");
    await tmux.waitForText(/last 1h .*\/client:127\.0\.0\.2 +4 of 4/);
  },
  120_000,
);
