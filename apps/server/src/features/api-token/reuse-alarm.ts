// A secret that was replaced and is used after its grace: somebody has kept it, or somebody has stolen it. It is refused
// like any other wrong one; this tells the people who should know. It never delays the refusal and never fails it.
import { type Database, statement, type Tx } from '@quarterdeck/core/db';
import type { Logger } from 'pino';
import type { CallContext } from '../../call-context.ts';
import type { AuditLog } from '../audit/audit.log.ts';
import type { EventBus } from '../event/event.bus.ts';

/** Tells of reused secrets. */
export interface ReuseAlarm {
  /** Tells, at most once a minute for each token. */
  raise(tokenId: number, request: CallContext['request']): void;
  /** Resolves when what was begun has been told. */
  close(): Promise<void>;
}

interface AlarmDeps {
  readonly db: Database;
  readonly log: Logger;
  readonly events: EventBus;
  readonly audit: AuditLog;
  readonly now: () => number;
}

const EVERY_MS = 60_000;
/** Tokens whose last alarm is remembered here. The database remembers too, so forgetting one costs a write, no more. */
const REMEMBERED_MAX = 10_000;
/** Alarms that may be under way at once. Beyond, they are dropped: the first ones have been told. */
const UNDER_WAY_MAX = 16;

// Of several servers, the one whose statement changes the row tells.
const CLAIM = statement(
  `INSERT INTO throttle (key, failures, since_ms, blocked_until_ms) VALUES (?, 1, ?, ?)
     ON CONFLICT (key) DO UPDATE SET failures = throttle.failures + 1, since_ms = excluded.since_ms,
       blocked_until_ms = excluded.blocked_until_ms WHERE throttle.blocked_until_ms <= excluded.since_ms`,
);
const TOKEN = statement('SELECT name, user_id AS uid FROM api_token WHERE id = ?');

/** Makes {@link ReuseAlarm}. */
export function createReuseAlarm({ db, log, events, audit, now }: AlarmDeps): ReuseAlarm {
  const toldMs = new Map<number, number>();
  const underWay = new Set<Promise<void>>();

  async function tell(tx: Tx, id: number, request: CallContext['request'], ms: number) {
    const claim = await tx.sql.run(CLAIM, `reused:${id}`, ms, ms + EVERY_MS);
    if (claim.changes === 0) return;
    const token = await tx.sql.get<{ name: string; uid: number }>(TOKEN, id);
    if (token === undefined) return;
    const { name, uid } = token;
    const target = { kind: 'api_token', id };
    await events.publish(tx, [{ type: 'token.reused', data: { id, name, uid, address: request.address } }]);
    await audit.record(tx, { action: 'api_token.reused', actor: null, request, target, detail: { name, uid } });
  }

  return {
    raise(id, request) {
      const ms = now();
      if (ms - (toldMs.get(id) ?? 0) < EVERY_MS || underWay.size >= UNDER_WAY_MAX) return;
      toldMs.delete(id);
      toldMs.set(id, ms);
      const [oldest] = toldMs.keys();
      if (toldMs.size > REMEMBERED_MAX && oldest !== undefined) toldMs.delete(oldest);
      const telling = db
        .write((tx) => tell(tx, id, request, ms))
        .catch((error: unknown) => {
          toldMs.delete(id);
          log.warn({ err: error, token: id }, 'a replaced API token was used, and that could not be recorded');
        })
        .finally(() => underWay.delete(telling));
      underWay.add(telling);
    },
    async close() {
      await Promise.all(underWay);
    },
  };
}
