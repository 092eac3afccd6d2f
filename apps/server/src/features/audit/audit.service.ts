// Reads and trims the audit log. The features record its entries themselves, see audit.log.ts.
import { type contract, type Service, sliceOf } from '@quarterdeck/core';
import type { CallContext } from '../call-context.ts';
import { checkWindow } from '../page-window.ts';
import { listAudit } from './audit.repo.ts';
import { keptSinceMs, trimAudit } from './audit.trim.ts';
import { verifyAudit } from './audit.verify.ts';
import type { AuditNeeds } from './needs.ts';

/** Converts whole seconds to milliseconds; a number beyond any time is cut to the largest one. */
const milliseconds = (seconds: number | undefined) =>
  seconds === undefined ? undefined : Math.min(seconds * 1000, Number.MAX_SAFE_INTEGER);

/** Converts the end of a period in whole seconds to milliseconds; the period includes that second. */
const lastMs = (seconds: number | undefined) => {
  const ms = milliseconds(seconds);
  return ms === undefined ? undefined : Math.min(ms + 999, Number.MAX_SAFE_INTEGER);
};

/** Form of every action. Other texts match no entry, and PostgreSQL refuses some of them. */
const ACTION = /^[\w.-]+$/;
const NO_ENTRIES = { data: [], meta: { count: 0 } };

/** Entries in one write, so that it is short. */
const TRIM_SLICE = 500;

/** Endpoints of the contract, and the job about old entries. */
export interface AuditService extends Service<(typeof contract)['audit'], CallContext> {
  /** Removes entries that are older than the installation keeps. */
  trim(stopped: () => boolean): Promise<void>;
}

export function auditService(deps: AuditNeeds): AuditService {
  const { db, key, now, auditDays } = deps;
  return {
    async list({ query }) {
      const { action, actor_id: actorId, start_time, end_time } = query;
      const slice = checkWindow(sliceOf(query));
      if (action !== undefined && !ACTION.test(action)) return NO_ENTRIES;
      return listAudit(db, slice, { action, actorId, fromMs: milliseconds(start_time), untilMs: lastMs(end_time) });
    },
    verify: () => verifyAudit(db, key),
    async trim(stopped) {
      if (auditDays === 0) return;
      const beforeMs = keptSinceMs(now(), auditDays);
      while (!stopped() && (await db.write((tx) => trimAudit(tx, deps, beforeMs, TRIM_SLICE))) === TRIM_SLICE);
    },
  };
}
