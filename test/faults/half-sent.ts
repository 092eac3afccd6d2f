// `pnpm faults half-sent [--seconds 30] [--broken]`: one address holds 2,400 connections with half-sent requests. New
// clients at another address must be served within 15 s; health, metrics and sign-in are answered at once. See
// README.md beside this file.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ADMIN_PASSWORD, startServer } from '../../bench/processes.ts';
import { type Answered, ask, signIn } from './honest-clients.ts';
import { startAttack } from './hostile-clients.ts';
import { limitMs } from './promised-time.ts';

const { values: options } = parseArgs({
  options: { seconds: { type: 'string', default: '30' }, broken: { type: 'boolean', default: false } },
});
const SECONDS = Number(options.seconds);
const SOCKETS = 2_400;
const PER_SECOND = 4_000;
const EVERY_MS = 250;
const PATIENCE_MS = 15_000;
/** Promised maximum waits in milliseconds: "at once", and for a sign-in the duration of Argon2. */
const PROMISED_MS = { api: 15_000, health: 1_000, metrics: 1_000, 'sign-in': 2_000 } as const;
type What = keyof typeof PROMISED_MS;

const hook = new URL('broken-connections.ts', import.meta.url).href;
const settings: Record<string, string> = options.broken ? { NODE_OPTIONS: `--import=${hook}` } : {};
const dataDir = mkdtempSync(join(tmpdir(), 'quarterdeck-half-sent-'));

async function main(): Promise<boolean> {
  const server = await startServer(dataDir, undefined, settings);
  const { url } = server;
  const headers = { 'edge-token': await signIn(url, 'admin', ADMIN_PASSWORD) };
  const login = { username: 'admin', password: ADMIN_PASSWORD };
  const questions: Readonly<Record<What, () => Promise<Answered>>> = {
    api: () => ask({ url, path: '/admin-api/user/me', headers, patienceMs: PATIENCE_MS }),
    health: () => ask({ url, path: '/healthz', patienceMs: PATIENCE_MS }),
    metrics: () => ask({ url, path: '/metrics', headers, patienceMs: PATIENCE_MS }),
    'sign-in': () => ask({ url, path: '/admin-api/user/login', body: login, patienceMs: PATIENCE_MS }),
  };
  const port = Number(new URL(url).port);
  const attack = startAttack({
    port,
    count: SOCKETS,
    behaviors: ['half-sent'],
    addresses: ['127.0.0.1'],
    perSecond: PER_SECOND,
  });
  try {
    await attack.started;
    console.log(`${SOCKETS} connections from 127.0.0.1 have been opened; ${attack.counts().open} are held`);
    const answers = Object.fromEntries(Object.keys(questions).map((what) => [what, [] as Answered[]]));
    const askAll = Object.entries(questions).map(async ([what, question]) => {
      const until = performance.now() + SECONDS * 1_000;
      while (performance.now() < until) {
        answers[what]?.push(await question());
        await delay(EVERY_MS);
      }
    });
    await Promise.all(askAll);
    const { open, opened } = attack.counts();
    console.log(`after ${SECONDS} s ${open} are held; ${opened} were opened in all`);
    const results = Object.entries(answers).map(([what, list]) => report(what as What, list));
    return results.every(Boolean);
  } finally {
    await attack.stop();
    await server.stop();
  }
}

/** Prints the durations of the answers to one kind of request, and returns whether they are as promised. */
function report(what: What, answers: readonly Answered[]): boolean {
  const good = answers.filter(({ outcome }) => outcome === 200);
  const others = new Set(answers.filter(({ outcome }) => outcome !== 200).map(({ outcome }) => outcome));
  const longest = Math.max(...answers.map(({ ms }) => ms));
  const first = answers[0];
  const kept = good.length === answers.length && longest <= limitMs(PROMISED_MS[what]);
  console.log(
    `  ${what.padEnd(8)} first answer ${first?.outcome} after ${first?.ms.toFixed(0)} ms, longest wait ` +
      `${longest.toFixed(0)} ms (promised ${PROMISED_MS[what]}), good ${good.length} of ${answers.length}` +
      `${others.size > 0 ? ` (others: ${[...others].join(', ')})` : ''}: ${kept ? 'kept' : 'NOT KEPT'}`,
  );
  return kept;
}

try {
  process.exitCode = (await main()) ? 0 : 1;
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
