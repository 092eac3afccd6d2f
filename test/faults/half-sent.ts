// `pnpm faults half-sent [--seconds 30] [--broken]`: one address holds 2,400 connections with half-sent requests. New
// clients at another address must be served within 15 s; health, metrics and sign-in are answered at once. See
// README.md beside this file.
import { setTimeout as delay } from 'node:timers/promises';
import { newPlace, startServer } from './built-server.ts';
import { type Answered, type Asked, ask, ORDINARY_LIMIT, signIn } from './honest-clients.ts';
import { startAttack } from './hostile-clients.ts';
import { limitMs } from './promised-time.ts';
import { readOptions } from './script.ts';

const { seconds } = readOptions('half-sent', { seconds: 30 });
const SOCKETS = 2_400;
const PER_SECOND = 4_000;
const EVERY_MS = 250;
const PATIENCE_MS = 15_000;

/** A kind of request, with its promised maximum wait in milliseconds. */
type Question = Pick<Asked, 'path' | 'headers' | 'body'> & { readonly name: string; readonly promisedMs: number };

await using place = await newPlace();
await using server = await startServer(place, ORDINARY_LIMIT);
const { url, port, password } = server;
const headers = { 'edge-token': await signIn(url, 'admin', password) };
const questions: readonly Question[] = [
  { name: 'api', path: '/admin-api/user/me', headers, promisedMs: 15_000 },
  // At once.
  { name: 'health', path: '/healthz', promisedMs: 1_000 },
  { name: 'metrics', path: '/metrics', headers, promisedMs: 1_000 },
  // The duration of Argon2.
  { name: 'sign-in', path: '/admin-api/user/login', body: { username: 'admin', password }, promisedMs: 2_000 },
];

/** Sends requests of one kind until a time; prints the waits, and returns whether they are as promised. */
async function askUntil(untilMs: number, { name, promisedMs, ...question }: Question): Promise<boolean> {
  const answers: Answered[] = [];
  while (performance.now() < untilMs) {
    answers.push(await ask({ url, ...question, patienceMs: PATIENCE_MS }));
    await delay(EVERY_MS);
  }
  const others = answers.filter(({ outcome }) => outcome !== 200).map(({ outcome }) => outcome);
  const longest = Math.max(...answers.map(({ ms }) => ms));
  const [first] = answers;
  const isKept = others.length === 0 && longest <= limitMs(promisedMs);
  console.log(
    `  ${name.padEnd(8)} first answer ${first?.outcome} after ${first?.ms.toFixed(0)} ms, longest wait ` +
      `${longest.toFixed(0)} ms (promised ${promisedMs}), good ${answers.length - others.length} of ${answers.length}` +
      `${others.length > 0 ? ` (others: ${[...new Set(others)].join(', ')})` : ''}: ${isKept ? 'kept' : 'NOT KEPT'}`,
  );
  return isKept;
}

await using attack = startAttack({
  port,
  count: SOCKETS,
  behaviors: ['half-sent'],
  addresses: ['127.0.0.1'],
  perSecond: PER_SECOND,
});
await attack.started;
console.log(`${SOCKETS} connections from 127.0.0.1 have been opened; ${attack.counts().open} are held`);
const untilMs = performance.now() + seconds * 1_000;
const results = await Promise.all(questions.map((question) => askUntil(untilMs, question)));
const { open, opened } = attack.counts();
console.log(`after ${seconds} s ${open} are held; ${opened} were opened in all`);
process.exitCode = results.every(Boolean) ? 0 : 1;
