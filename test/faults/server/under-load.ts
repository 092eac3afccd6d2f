// Faults, and the load around them.
import { setTimeout as delay } from 'node:timers/promises';
import type { PostgresServer } from '../../../packages/core/test/postgres.ts';
import { type Place, type Server, startServer } from '../built-server.ts';
import { isComplete, type Noted, type SteadyLoad, startLoad, type What } from './steady-load.ts';

/** Lines of a report, each with whether it is as promised. */
export type Findings = readonly (readonly [kept: boolean, text: string])[];

export interface World extends Place {
  /** The PostgreSQL of its database. */
  readonly postgres?: PostgresServer | undefined;
}

export interface Fault {
  readonly name: string;
  readonly promise: string;
  /** Database that it needs; undefined is either. */
  readonly database?: 'sqlite' | 'postgresql';
  /** Reason why it cannot run here. */
  readonly missing?: () => string | undefined;
  run(place: World, seconds: number): Promise<Findings>;
}

export const WRITERS = 8;
export const PAUSE_MS = 5;
/** Answers of a server that refuses for a while. */
export const REFUSALS: readonly (number | string)[] = [200, 429, 503];

/** Runs a load around a fault; the fault gets the server and the load, see `LoadOptions`. */
export async function underLoad(
  place: Place,
  fault: (server: Server, load: SteadyLoad) => Promise<Findings>,
  isRepeated = false,
): Promise<Findings> {
  await using server = await startServer(place);
  const load = await startLoad(server, { writers: WRITERS, pauseMs: PAUSE_MS, isRepeated });
  await delay(1_000);
  try {
    const findings = await fault(server, load);
    await load.stop();
    return [...findings, await isComplete(load)];
  } finally {
    await load.stop();
  }
}

/** True where each refusal for the moment tells when to try again. */
export const nameWhen = (answers: readonly Noted[]) =>
  answers.every(({ outcome, headers }) => outcome !== 503 || headers['retry-after'] !== undefined);

/** Waits until each of these kinds succeeds again; resolves with the milliseconds since then. */
export async function untilGood(load: SteadyLoad, sinceMs: number, kinds: readonly What[]): Promise<number> {
  for (;;) {
    const first = kinds.map((kind) =>
      load.answers.find(({ what, atMs, outcome }) => what === kind && atMs > sinceMs && outcome === 200),
    );
    const doneMs = first.map((good) => (good === undefined ? Number.POSITIVE_INFINITY : good.atMs + good.ms - sinceMs));
    if (!first.includes(undefined)) return Math.max(...doneMs);
    if (performance.now() - sinceMs > 60_000) return Number.POSITIVE_INFINITY;
    await delay(20);
  }
}

/** Waits until a write that was sent after a time is refused: a busy machine needs longer than the fault lasts. */
export async function untilRefused(load: SteadyLoad, sinceMs: number): Promise<void> {
  const giveUpMs = performance.now() + 60_000;
  const isRefused = ({ what, atMs, outcome }: Noted) => what === 'write' && atMs > sinceMs && outcome === 503;
  while (!load.answers.some(isRefused) && performance.now() < giveUpMs) await delay(20);
}
