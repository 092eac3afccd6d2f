// Proof that a resolved error does not come back although its service goes on being used.
import type { ErrlogEntry, ErrlogProof } from '@quarterdeck/core';
import { type ErrlogReads, minuteOf } from '../../errlog-store/errlog-store.ts';

/** Shortest time without the error that proves something. */
const LEAST_S = 3_600;
/** Time before the resolution in which its frequency is measured. */
const MEASURED_S = 7 * 86_400;
/** Failures that would have been expected in the lines since. */
const FAILURES = 10;

/**
 * Compares the lines of the group's service on its source since the resolution with those that it took to fail before.
 * Undefined where the group is not resolved.
 */
export async function proofOf(
  store: Pick<ErrlogReads, 'countByMinute' | 'countOfService'>,
  { id, state, state_since: since = 0, src, service = '', first_seen: firstSeen = 0 }: ErrlogEntry,
  nowS: number,
): Promise<ErrlogProof | undefined> {
  if (state !== 'resolved') return undefined;
  const resolved = minuteOf(since);
  const from = minuteOf(Math.max(firstSeen, since - MEASURED_S));
  const failed = await store.countByMinute([id], from, resolved);
  const failures = failed.reduce((sum, { n }) => sum + n, 0);
  const linesBefore = await store.countOfService(src, service, { from, to: resolved + 1 });
  const seen = await store.countOfService(src, service, { from: resolved + 1, to: minuteOf(nowS) + 1 });
  const needed = failures === 0 ? Number.POSITIVE_INFINITY : (FAILURES * linesBefore) / failures;
  const isProven = nowS - since >= LEAST_S && seen >= needed;
  return { state: isProven ? 'proven' : 'unproven', seen, since };
}
