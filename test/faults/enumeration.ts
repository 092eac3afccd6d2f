// `pnpm faults enumeration [--names 40] [--broken]`: sends wrong passwords of known and of unknown usernames in turn.
// The answers must be equal, and their times must not tell which usernames exist (rank test of Mann and Whitney).
import { mkdtempSync, rmSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { breakServer } from './broken-server.ts';
import { ask, signIn } from './honest-clients.ts';
import { startServer } from './server/world.ts';

const { values: options } = parseArgs({
  options: { names: { type: 'string', default: '40' }, broken: { type: 'boolean', default: false } },
});
const NAMES = Number(options.names);
/** Below the number of failures after which an account has to wait. */
const TRIES = 4;
/** Distance from equal times in standard deviations; chance exceeds it once in 15,000 runs. */
const Z_MAX = 4;
const LOGIN = '/admin-api/user/login';

interface Timed {
  readonly ms: number;
  /** Everything of the answer that may not differ. */
  readonly answer: string;
}

/** Headers that differ from answer to answer. */
const CHANGING = ['date', 'x-request-id', 'etag'];
const isSteady = ([name]: [string, IncomingHttpHeaders[string]]) => !CHANGING.includes(name);

/** Sends a wrong password over a new connection. */
function attempt(url: string, username: string, localAddress: string): Promise<Timed> {
  const startedMs = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(url + LOGIN, { method: 'POST', agent: false, localAddress }, async (res) => {
      const body = (await text(res)).replaceAll(/"(request_id|time)":("[^"]*"|[0-9]+)/g, '');
      const headers = Object.entries(res.headers).filter(isSteady).sort();
      const ms = performance.now() - startedMs;
      resolve({ ms, answer: `${res.statusCode} ${body} ${JSON.stringify(headers)}` });
    });
    sent.once('error', reject);
    sent.end(JSON.stringify({ username, password: 'a password that nobody has' }));
  });
}

/** Distance of two samples from equality, in standard deviations of their rank sum. */
function rankDistance(a: readonly number[], b: readonly number[]): number {
  const ranked = [...a.map((ms) => ({ ms, first: true })), ...b.map((ms) => ({ ms, first: false }))];
  ranked.sort((one, other) => one.ms - other.ms);
  const sum = ranked.reduce((total, { first }, i) => total + (first ? i + 1 : 0), 0);
  const n = a.length + b.length;
  return (sum - (a.length * (n + 1)) / 2) / Math.sqrt((a.length * b.length * (n + 1)) / 12);
}

const median = (all: readonly number[]) => all.toSorted((x, y) => x - y)[Math.floor(all.length / 2)] ?? 0;

if (options.broken) breakServer('enumeration');
const dataDir = mkdtempSync(join(tmpdir(), 'quarterdeck-enumeration-'));
const server = await startServer({ dataDir }, { QUARTERDECK_LOG_LEVEL: 'warn' });
try {
  const { url } = server;
  const headers = { 'edge-token': await signIn(url, 'admin', server.password) };
  const numbers = Array.from({ length: NAMES }, (_, n) => n);
  for (const n of numbers) {
    const body = { username: `known-${n}`, role: 'viewer', password: `long password of nobody ${n}` };
    const { outcome, text: why } = await ask({ url, path: '/admin-api/user', headers, body, patienceMs: 30_000 });
    if (outcome !== 200) throw new Error(`no user was created: ${outcome} ${why}`);
  }
  const all: { known: Timed[]; other: Timed[] } = { known: [], other: [] };
  for (let round = 0; round < TRIES; round += 1) {
    for (const n of numbers) {
      // The order changes, so that neither comes first more often. Each pair has an address of its own.
      const kinds = (n + round) % 2 === 0 ? (['known', 'other'] as const) : (['other', 'known'] as const);
      for (const kind of kinds) all[kind].push(await attempt(url, `${kind}-${n}`, `127.0.4.${1 + (n % 250)}`));
    }
  }
  const answers = new Set([...all.known, ...all.other].map(({ answer }) => answer));
  const [known, other] = [all.known.map(({ ms }) => ms), all.other.map(({ ms }) => ms)];
  const z = rankDistance(known, other);
  if (answers.size > 1) for (const answer of answers) console.log(`  ${answer}`);
  console.log(
    `${known.length} attempts each: ${answers.size} kind of answer; median ${median(known).toFixed(1)} ms known, ` +
      `${median(other).toFixed(1)} ms unknown; ${Math.abs(z).toFixed(1)} standard deviations apart (at most ${Z_MAX})`,
  );
  process.exitCode = answers.size === 1 && Math.abs(z) <= Z_MAX ? 0 : 1;
} finally {
  await server.end('SIGTERM');
  rmSync(dataDir, { recursive: true, force: true });
}
