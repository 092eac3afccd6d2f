import { tmpdir } from 'node:os';
import { DatabaseError } from '@quarterdeck/core/db';
import { afterEach, expect, it } from 'vitest';
import { createServerHealth, type ServerHealth } from './health-state.ts';

let health: ServerHealth | undefined;
afterEach(() => health?.close());

/** A database that answers or not, under a clock that the test moves. */
function watched() {
  const state = { nowMs: 1_000_000, isAway: false };
  const write = async () => {
    if (state.isAway) throw new DatabaseError('unavailable');
    return undefined as never;
  };
  const made = createServerHealth({ db: { write }, now: () => state.nowMs, dataDir: tmpdir(), makesBackups: false });
  health = made;
  const probeAfter = async (ms: number, isAway: boolean) => {
    state.nowMs += ms;
    state.isAway = isAway;
    await made.probe();
    return made.databaseFailures();
  };
  return { health: made, probeAfter };
}

it('notes for how long the database does not answer', async () => {
  const { probeAfter } = watched();
  expect(await probeAfter(10_000, false)).toEqual([]);
  await probeAfter(10_000, true);
  await probeAfter(10_000, true);
  const failure = { fromMs: 1_020_000, untilMs: 1_060_000, reason: 'The database cannot be reached.' };
  expect(await probeAfter(30_000, false)).toEqual([failure]);
  await probeAfter(10_000, true);
  expect(await probeAfter(10_000, false)).toEqual([failure, { ...failure, fromMs: 1_070_000, untilMs: 1_080_000 }]);
  expect(await probeAfter(3_599_000, false)).toHaveLength(1);
});

it('notifies of the space of the disk', async () => {
  const { freeBytes, totalBytes } = await watched().health.disk();
  expect(freeBytes).toBeGreaterThan(0);
  expect(totalBytes).toBeGreaterThanOrEqual(freeBytes);
});
