// Whoever finds a secret can end it, without a credential: secret scanners, and people who have found one in a log.
import { type ApiTokenRevocation, AppError } from '@quarterdeck/core';
import { type Database, statement } from '@quarterdeck/core/db';
import { readSecretKind } from '../../auth/secrets.ts';
import { networkOf } from '../../auth/throttle-keys.ts';
import type { CallContext, Deps } from '../../deps.ts';
import { countBySecrets, removeBySecrets } from './api-token.repo.ts';

const HOUR_MS = 3_600_000;
/** Calls from one address in an hour. */
const CALLS_MAX = 60;
/** Secrets in one write, so that it holds nobody else up. */
const SLICE = 100;

const CALLS = statement('SELECT failures AS calls, since_ms FROM throttle WHERE key = ?');
const COUNT_CALL = statement(
  `INSERT INTO throttle (key, failures, since_ms) VALUES (?, 1, ?) ON CONFLICT (key) DO UPDATE SET
     failures = CASE WHEN throttle.since_ms <= ? THEN 1 ELSE throttle.failures + 1 END,
     since_ms = CASE WHEN throttle.since_ms <= ? THEN excluded.since_ms ELSE throttle.since_ms END
   RETURNING failures AS calls, since_ms`,
);

interface Calls {
  readonly calls: number;
  readonly since_ms: number;
}

/** Revokes the API tokens that these secrets belong to; what is no such secret is passed over. */
export async function revokeBySecret(
  { db, key, audit, now }: Pick<Deps, 'db' | 'key' | 'audit' | 'now'>,
  { tokens }: ApiTokenRevocation,
  request: CallContext['request'],
): Promise<{ revoked: number }> {
  await countCall(db, request.address, now());
  const secrets = new Set(tokens.filter((token) => readSecretKind(token) === 'api_token'));
  const hashes = [...secrets].map((secret) => key.digest(secret));
  let revoked = 0;
  for (let from = 0; from < hashes.length; from += SLICE) {
    const slice = hashes.slice(from, from + SLICE);
    // Most calls find nothing; they shall not wait for a turn to write.
    if ((await countBySecrets(db.read, slice, now())) === 0) continue;
    revoked += await db.write(async (tx) => {
      const removed = await removeBySecrets(tx, slice, now());
      for (const { id, name, uid } of removed) {
        const target = { kind: 'api_token', id };
        await audit.record(tx, { action: 'api_token.revoke', actor: null, request, target, detail: { name, uid } });
      }
      return removed.length;
    });
  }
  return { revoked };
}

async function countCall(db: Database, address: string, nowMs: number): Promise<void> {
  const key = `revoke:${networkOf(address)}`;
  const endedMs = nowMs - HOUR_MS;
  const known = await db.read.sql.get<Calls>(CALLS, key);
  // Whoever is refused anyway is not counted any more, so that a flood does not become a flood of writes.
  if (known !== undefined && known.since_ms > endedMs && known.calls >= CALLS_MAX) throw tooMany(known, nowMs);
  const counted = await db.write((tx) => tx.sql.get<Calls>(COUNT_CALL, key, nowMs, endedMs, endedMs));
  if (counted !== undefined && counted.calls > CALLS_MAX) throw tooMany(counted, nowMs);
}

const tooMany = ({ since_ms }: Calls, nowMs: number) =>
  new AppError('too_many_requests', { retryAfterS: Math.max(1, Math.ceil((since_ms + HOUR_MS - nowMs) / 1000)) });
