// Reading and trimming the audit log; it is written by the features themselves, see audit.log.ts.
import { type contract, type Service, sliceOf } from '@quarterdeck/core';
import type { CallContext, Deps } from '../../deps.ts';
import { checkWindow } from '../page-window.ts';
import { listAudit } from './audit.repo.ts';
import { keptSinceMs, trimAudit } from './audit.trim.ts';
import { verifyAudit } from './audit.verify.ts';

/** Milliseconds of a whole number of seconds that may be larger than any time there is. */
const milliseconds = (seconds: number | undefined) =>
  seconds === undefined ? undefined : Math.min(seconds * 1000, Number.MAX_SAFE_INTEGER);

/** An end is given in whole seconds and includes the whole of its second. */
const lastMs = (seconds: number | undefined) => {
  const ms = milliseconds(seconds);
  return ms === undefined ? undefined : Math.min(ms + 999, Number.MAX_SAFE_INTEGER);
};

/** What an action can look like; no entry fits anything else, and not all of it could be asked of PostgreSQL. */
const ACTION = /^[\w.-]+$/;
const NOTHING = { data: [], meta: { count: 0 } };

/** Entries in one write, so that it holds nobody else up. */
const TRIM_SLICE = 500;

/** The noun of the contract, and what is done without being asked. */
export interface AuditService extends Service<(typeof contract)['audit'], CallContext> {
  /** Removes what is older than the installation wants to keep. */
  trim(stopped: () => boolean): Promise<void>;
}

export function auditService(deps: Pick<Deps, 'db' | 'key' | 'audit' | 'now' | 'auditDays'>): AuditService {
  const { db, key, now, auditDays } = deps;
  return {
    async list({ query }) {
      const { action, actor_id: actorId, start_time, end_time } = query;
      const slice = checkWindow(sliceOf(query));
      if (action !== undefined && !ACTION.test(action)) return NOTHING;
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
