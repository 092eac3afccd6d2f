// Revokes API tokens by their secrets, without a credential: for secret scanners, and for people who find one in a log.
import { type ApiTokenRevocation, AppError } from '@quarterdeck/core';
import { networkOf } from '@quarterdeck/core/addresses';
import type { Database } from '@quarterdeck/core/db';
import { isSentryKey, readSecretKind } from '../../auth/secrets.ts';
import { findThrottle, lockThrottle, type ThrottleRow, updateThrottle } from '../../auth/throttle.repo.ts';
import type { CallContext } from '../call-context.ts';
import { announceRevoked } from './announce-revoked.ts';
import { countBySecrets, removeBySecrets } from './api-token.repo.ts';
import type { TokenNeeds } from './needs.ts';

const HOUR_MS = 3_600_000;
/** Calls from one network in an hour. */
const CALLS_MAX = 60;
/** Secrets in one write, so that it is short. */
const SLICE = 100;

/** Revokes the API tokens of these secrets; other texts are ignored. */
export async function revokeBySecret(
  { db, key, audit, events, now }: Pick<TokenNeeds, 'db' | 'key' | 'audit' | 'events' | 'now'>,
  { tokens }: ApiTokenRevocation,
  request: CallContext['request'],
): Promise<{ revoked: number }> {
  await countCall(db, request.address, now());
  // Keys of Sentry have the form of sessions; no session is among the tokens that are looked up.
  const secrets = new Set(tokens.filter((token) => readSecretKind(token) === 'api_token' || isSentryKey(token)));
  const hashes = [...secrets].flatMap((secret) => key.digests(secret));
  let revoked = 0;
  for (let from = 0; from < hashes.length; from += SLICE) {
    const slice = hashes.slice(from, from + SLICE);
    // Most calls find nothing; those cost no write.
    if ((await countBySecrets(db.read, slice, now())) === 0) continue;
    revoked += await db.write(async (tx) => {
      const removed = await removeBySecrets(tx, slice, now());
      for (const { id, name, userId: uid } of removed) {
        const target = { kind: 'api_token', id };
        await audit.record(tx, { action: 'api_token.revoke', actor: null, request, target, detail: { name, uid } });
      }
      if (removed.length > 0) await announceRevoked(events, tx, removed);
      return removed.length;
    });
  }
  return { revoked };
}

/** Counts a call of a network; refuses it beyond {@link CALLS_MAX}. */
async function countCall(db: Database, address: string, nowMs: number): Promise<void> {
  const key = `revoke:${networkOf(address)}`;
  // A refused call costs a read and no write.
  refuseBeyond(await findThrottle(db.read, key), nowMs);
  await db.write(async (tx) => {
    const row = await lockThrottle(tx, key, nowMs);
    refuseBeyond(row, nowMs);
    const counted = isOver(row, nowMs) ? { failures: 1, sinceMs: nowMs } : { failures: row.failures + 1 };
    await updateThrottle(tx, key, counted);
  });
}

const isOver = ({ sinceMs }: ThrottleRow, nowMs: number): boolean => Number(sinceMs) <= nowMs - HOUR_MS;

function refuseBeyond(row: ThrottleRow | null, nowMs: number): void {
  if (row === null || row.failures < CALLS_MAX || isOver(row, nowMs)) return;
  const leftMs = Number(row.sinceMs) + HOUR_MS - nowMs;
  throw new AppError('too_many_requests', { retryAfterS: Math.max(1, Math.ceil(leftMs / 1000)) });
}
