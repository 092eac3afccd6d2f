// Clients of a soak: senders at a fixed rate, and a reader.
import { setTimeout as delay } from 'node:timers/promises';
import { call, JSON_TYPE } from '../api.ts';
import { BATCH_LINES, clientAddress, groupLevel, groupText, randomFrom } from '../lines.ts';
import type { Program } from '../processes.ts';

const LIST = '/admin-api/log_server/errlog';
const SENDERS = 4;
/** Groups that repeat; most lines belong to them. */
const GROUPS = 2_000;
/** Lines of a batch with a new error. */
const NEW_LINES = 10;
/** Requests of the reader per second. */
const READS_PER_SECOND = 20;

/** A server and a credential for it. */
export interface Target {
  readonly server: Program;
  readonly headers: Record<string, string>;
}

/** Yields batches as they come from a fleet: mostly known errors, and a few new ones. */
export function* fleetBatches(): Generator<string, never> {
  const random = randomFrom(7);
  for (let fresh = GROUPS; ; fresh += NEW_LINES) {
    const numbers = Array.from({ length: BATCH_LINES }, (_, i) =>
      i < NEW_LINES ? fresh + i : Math.floor(GROUPS * random() ** 4),
    );
    yield JSON.stringify(numbers.map((n) => ({ level: groupLevel(n), log: groupText(n, clientAddress(random)) })));
  }
}

/**
 * Sends batches until `endAtMs` of `performance.now()`, at most this many per second, and returns their number. Any
 * answer but 200 makes a soak worthless, so it throws.
 */
export async function sendAtPace(
  { server, headers }: Target,
  bodies: Iterator<string, never>,
  endAtMs: number,
  perSecond = Number.POSITIVE_INFINITY,
): Promise<number> {
  let sent = 0;
  const startedAtMs = performance.now();
  await Promise.all(
    Array.from({ length: SENDERS }, async () => {
      while (performance.now() < endAtMs) {
        const dueMs = startedAtMs + (sent / perSecond) * 1000;
        sent += 1;
        const earlyMs = dueMs - performance.now();
        if (earlyMs > 0) await delay(earlyMs);
        const { value: body } = bodies.next();
        const answer = await fetch(server.url + LIST, { method: 'POST', headers: { ...headers, ...JSON_TYPE }, body });
        if (!answer.ok) throw new Error(`intake: ${answer.status} ${await answer.text()}`);
        await answer.arrayBuffer();
      }
    }),
  );
  return sent;
}

/** Requests of the reader, in turn, as of a person who looks for an error. */
function* questions(): Generator<string, never> {
  for (let n = 0; ; n += 1) {
    yield '';
    yield `?page=${1 + ((n * 37) % 500)}`;
    yield `?level_max=4&page=${1 + (n % 20)}`;
    yield `?q=${encodeURIComponent(groupText((n * 101) % GROUPS).split(' ')[1] ?? '')}`;
    yield '/histogram?buckets=96';
    yield '?src=1&state=new';
    yield `?q=${encodeURIComponent('server: vega.example')}`;
    yield '/facets';
  }
}

/** Sends requests until `endAtMs` of `performance.now()`, and reports the duration of each. */
export async function readAtPace(
  { server, headers }: Target,
  endAtMs: number,
  onAnswer: (tookMs: number) => void,
): Promise<void> {
  const asked = questions();
  let dueMs = performance.now();
  while (performance.now() < endAtMs) {
    const startedAtMs = performance.now();
    await call(server, LIST + asked.next().value, { headers });
    onAnswer(performance.now() - startedAtMs);
    dueMs += 1000 / READS_PER_SECOND;
    await delay(Math.max(0, dueMs - performance.now()));
  }
}
