// Tells of API tokens that are about to expire: once when a week is left, and once when a day is left.
import type { Deps } from '../../deps.ts';
import { claimWarnings } from './api-token.repo.ts';

const DAY_MS = 86_400_000;
/** Shortest first: a token that is seen for the first time on its last day is told of once. */
const WARN_DAYS = [1, 7];
const SLICE = 200;

/** Tells of every token whose time has come, slice after slice, until there are none or it is stopped. */
export async function announceExpiring(
  { db, events, now }: Pick<Deps, 'db' | 'events' | 'now'>,
  stopped: () => boolean,
): Promise<void> {
  const nowMs = now();
  for (const days of WARN_DAYS) {
    let told = SLICE;
    while (told === SLICE && !stopped()) {
      told = await db.write(async (tx) => {
        const tokens = await claimWarnings(tx, days, nowMs, nowMs + days * DAY_MS, SLICE);
        await events.publish(
          tx,
          tokens.map((token) => ({ type: 'token.expiring', data: { ...token, days } })),
        );
        return tokens.length;
      });
    }
  }
}
