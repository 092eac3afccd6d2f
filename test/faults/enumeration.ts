// `pnpm faults enumeration [--names 40] [--broken]`: sends wrong passwords of known and of unknown usernames in turn.
// The answers must be equal, and their times must not tell which usernames exist (rank test of Mann and Whitney).
import { newPlace, startServer } from './built-server.ts';
import { ask, call, signIn } from './honest-clients.ts';
import { readOptions } from './script.ts';

const { names } = readOptions('enumeration', { names: 40 });
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
const isSteady = ([name]: readonly [string, unknown]) => !CHANGING.includes(name);

/** Sends a wrong password over a new connection. */
async function attempt(url: string, username: string, localAddress: string): Promise<Timed> {
  const body = { username, password: 'a password that nobody has' };
  const { outcome, ms, text, headers } = await ask({ url, path: LOGIN, body, localAddress, patienceMs: 60_000 });
  const same = text.replaceAll(/"(request_id|time)":("[^"]*"|[0-9]+)/g, '');
  return { ms, answer: `${outcome} ${same} ${JSON.stringify(Object.entries(headers).filter(isSteady).sort())}` };
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

await using place = await newPlace();
await using server = await startServer(place);
const { url } = server;
const headers = { 'edge-token': await signIn(url, 'admin', server.password) };
const numbers = Array.from({ length: names }, (_, n) => n);
for (const n of numbers) {
  const body = { username: `known-${n}`, role: 'viewer', password: `long password of nobody ${n}` };
  await call({ url, path: '/admin-api/user', headers, body });
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
