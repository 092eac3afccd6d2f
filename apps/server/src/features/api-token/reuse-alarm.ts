// Reports the use of a replaced secret after its grace: somebody kept it, or stole it. The request is refused like any
// other with a wrong secret; the report neither delays nor fails the refusal.
import type { Database, Tx } from '@quarterdeck/core/db';
import type { Logger } from 'pino';
import { lockThrottle, updateThrottle } from '../../auth/throttle.repo.ts';
import type { AuditLog } from '../audit/audit.log.ts';
import type { CallContext } from '../call-context.ts';
import type { EventBus } from '../event/event.bus.ts';
import { findTokenName } from './api-token.repo.ts';

/** Reports reused secrets. */
export interface ReuseAlarm {
  /** Reports a token, at most once a minute. */
  raise(tokenId: number, request: CallContext['request']): void;
  /** Resolves when all reports under way are stored. */
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
/** Tokens whose last report is kept in memory. The database keeps it too: a token dropped here costs one write. */
const KEPT_MAX = 10_000;
/** Reports that may be under way at once. Beyond, they are dropped. */
const PENDING_MAX = 16;

/** Creates a {@link ReuseAlarm}. */
export function createReuseAlarm({ db, log, events, audit, now }: AlarmDeps): ReuseAlarm {
  const reportedMs = new Map<number, number>();
  const pending = new Set<Promise<void>>();

  async function report(tx: Tx, id: number, request: CallContext['request'], ms: number) {
    // Of several servers, the first one to lock the row reports.
    const key = `reused:${id}`;
    const { failures, blockedUntilMs } = await lockThrottle(tx, key, ms);
    if (blockedUntilMs > ms) return;
    await updateThrottle(tx, key, { failures: failures + 1, sinceMs: ms, blockedUntilMs: ms + EVERY_MS });
    const token = await findTokenName(tx, id);
    if (token === null) return;
    const { name, userId: uid } = token;
    const target = { kind: 'api_token', id };
    await events.publish(tx, [{ type: 'token.reused', data: { id, name, uid, address: request.address } }]);
    await audit.record(tx, { action: 'api_token.reused', actor: null, request, target, detail: { name, uid } });
  }

  return {
    raise(id, request) {
      const ms = now();
      if (ms - (reportedMs.get(id) ?? 0) < EVERY_MS || pending.size >= PENDING_MAX) return;
      reportedMs.delete(id);
      reportedMs.set(id, ms);
      const [oldest] = reportedMs.keys();
      if (reportedMs.size > KEPT_MAX && oldest !== undefined) reportedMs.delete(oldest);
      const reporting = db
        .write((tx) => report(tx, id, request, ms))
        .catch((error: unknown) => {
          reportedMs.delete(id);
          log.warn({ err: error, token: id }, 'cannot record the use of a replaced API token');
        })
        .finally(() => pending.delete(reporting));
      pending.add(reporting);
    },
    async close() {
      await Promise.all(pending);
    },
  };
}
