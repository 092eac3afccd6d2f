// `pnpm dev`: runs a server and the dashboard from the source. Each starts again when its source changes, and `q` ends
// both. The data, the password of `admin` and the log of the server are in `data/dev`.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, openSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '../packages/sdk/src/index.ts';

const FOLDER = 'data/dev';
const [PASSWORD, TOKEN, LOG] = ['password', 'token', 'log'].map((name) => `${FOLDER}/${name}`) as [
  string,
  string,
  string,
];
const PORT = process.env['QUARTERDECK_PORT'] ?? '7080';
const URL = `http://127.0.0.1:${PORT}`;
/** Sources of the dashboard. */
const SOURCES = ['packages/core', 'packages/sdk', 'packages/views', 'apps/tui', 'apps/cli'].map(
  (name) => `${name}/src`,
);
const FROM_SOURCE = '--conditions=@quarterdeck/source';
/** Milliseconds from the last change to a new start of the dashboard. */
const SETTLED_MS = 500;
const START_MAX_MS = 60_000;

/** Reads a file of the folder, which is made with a random text first. */
function keep(path: string): string {
  if (!existsSync(path)) writeFileSync(path, randomBytes(18).toString('base64url'), { mode: 0o600 });
  return readFileSync(path, 'utf8');
}

async function untilReady(server: ChildProcess): Promise<void> {
  const startedMs = Date.now();
  for (;;) {
    const isReady = await fetch(`${URL}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    if (server.exitCode !== null || Date.now() - startedMs > START_MAX_MS) {
      throw new Error(`The server did not start. See ${LOG}.`);
    }
    await delay(100);
  }
}

/** Returns the API token of the dashboard; makes one where there is none that the server takes. */
async function tokenFile(password: string): Promise<string> {
  if (existsSync(TOKEN)) {
    const isKnown = await createClient({ url: URL, apiToken: readFileSync(TOKEN, 'utf8') })
      .user.me()
      .then(
        () => true,
        () => false,
      );
    if (isKnown) return TOKEN;
  }
  const client = createClient({ url: URL });
  const { token: sessionToken } = await client.user.login({ body: { username: 'admin', password } });
  const { token } = await createClient({ url: URL, sessionToken }).apiToken.create({ body: { name: 'pnpm dev' } });
  writeFileSync(TOKEN, token, { mode: 0o600 });
  return TOKEN;
}

/** Runs the dashboard until the person ends it, and starts it again when its source has changed. */
async function runDashboard(token: string): Promise<void> {
  const env = { ...process.env, QUARTERDECK_URL: URL, QUARTERDECK_TOKEN_FILE: token };
  let timer: NodeJS.Timeout | undefined;
  let dashboard: ChildProcess | undefined;
  let isRestarted = false;
  for (const folder of SOURCES) {
    watch(folder, { recursive: true }, () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        isRestarted = true;
        dashboard?.kill();
      }, SETTLED_MS);
    });
  }
  do {
    isRestarted = false;
    dashboard = spawn(process.execPath, [FROM_SOURCE, '--import', './scripts/load-tsx.ts', 'apps/cli/src/main.ts'], {
      env,
      stdio: 'inherit',
    });
    await once(dashboard, 'close');
  } while (isRestarted);
}

mkdirSync(FOLDER, { recursive: true, mode: 0o700 });
const password = keep(PASSWORD);
const log = openSync(LOG, 'a', 0o600);
const server = spawn(process.execPath, ['--watch', '--watch-preserve-output', FROM_SOURCE, 'apps/server/src/main.ts'], {
  env: {
    ...process.env,
    QUARTERDECK_PORT: PORT,
    QUARTERDECK_DATA_DIR: FOLDER,
    QUARTERDECK_ADMIN_PASSWORD: password,
  },
  stdio: ['ignore', log, log],
});
process.on('exit', () => server.kill());
console.log(`${URL} has the page for the user admin; the password is in ${PASSWORD}, the log is ${LOG}.`);
await untilReady(server);
await runDashboard(await tokenFile(password));
process.exit(0);
