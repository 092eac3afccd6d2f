// Announces API tokens that are about to expire: once a week before, and once a day before.

import { markWarned } from './api-token.repo.ts';
import type { TokenNeeds } from './needs.ts';

const DAY_MS = 86_400_000;
/** Days before the expiry. Shortest first, so that a token seen first on its last day is announced once. */
const WARN_DAYS = [1, 7];
const SLICE = 200;

/** Announces all tokens that are due, slice by slice, until none is left or it is stopped. */
export async function announceExpiring(
  { db, events: bus, now }: Pick<TokenNeeds, 'db' | 'events' | 'now'>,
  stopped: () => boolean,
): Promise<void> {
  const nowMs = now();
  for (const days of WARN_DAYS) {
    let found = SLICE;
    while (found === SLICE && !stopped()) {
      found = await db.write(async (tx) => {
        const slice = await markWarned(tx, days, nowMs, nowMs + days * DAY_MS, SLICE);
        const events = slice.marked.map(({ id, name, userId, expireMs, ...last }) => ({
          type: 'token.expiring' as const,
          data: {
            id,
            name,
            uid: userId,
            expire: Number(expireMs),
            days,
            last_used: last.lastUsedMs === 0n ? null : Number(last.lastUsedMs) / 1000,
            last_address: last.lastAddress,
            last_client: last.lastClient,
          },
        }));
        await bus.publish(tx, events);
        return slice.found;
      });
    }
  }
}
