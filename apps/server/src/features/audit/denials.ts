// Records refused requests in the audit log, after the answer and with best effort: neither a slow database nor a full
// disk changes or delays a refusal.
import type { Actor, ErrorCode } from '@quarterdeck/core';
import type { Database } from '@quarterdeck/core/db';
import type { Logger } from 'pino';
import type { CallContext } from '../call-context.ts';
import type { AuditLog } from './audit.log.ts';

/** Each server records the same refusal of the same caller at the same endpoint once in this time. */
const ONCE_IN_MS = 60_000;
/** Callers and endpoints kept in memory; refusals beyond are only logged. */
const KEPT_MAX = 10_000;
/** Entries that wait to be written. */
const WAITING_MAX = 1_000;
/** Entries in one write. */
const BATCH = 100;

/** Refused request of a known caller. */
export interface Denial {
  readonly actor: Actor;
  readonly method: string;
  /** Path of the contract, with `{placeholders}`. */
  readonly path: string;
  readonly code: ErrorCode;
  readonly request: CallContext['request'];
}

/** Records refusals. */
export interface Denials {
  /** Returns at once and never throws. */
  note(denial: Denial): void;
  /** Writes the entries that still wait. */
  close(): Promise<void>;
}

export interface DenialDeps {
  readonly db: Database;
  readonly audit: AuditLog;
  readonly log: Logger;
  /** Unix milliseconds. */
  readonly now: () => number;
}

function callerOf(actor: Actor): string {
  if (actor.kind === 'agent') return `a${actor.agentId}`;
  return actor.kind === 'enrollment' ? `e${actor.enrollmentId}` : `u${actor.userId}`;
}

export function createDenials({ db, audit, log, now }: DenialDeps): Denials {
  // Insertion order: the oldest come first.
  const noted = new Map<string, number>();
  let waiting: Denial[] = [];
  let running: Promise<void> | undefined;

  /** Drops entries of more than a minute ago; true where there is room for one more. */
  function dropOld(nowMs: number): boolean {
    for (const [key, sinceMs] of noted) {
      // A clock that was set back must not keep an entry for longer.
      if (nowMs - sinceMs < ONCE_IN_MS && nowMs >= sinceMs) break;
      noted.delete(key);
    }
    return noted.size < KEPT_MAX;
  }

  async function writeWaiting(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH);
      waiting = waiting.slice(BATCH);
      try {
        await db.write(async (tx) => {
          for (const { actor, method, path, code, request } of batch) {
            await audit.record(tx, { action: 'request.denied', actor, request, detail: { method, path, code } });
          }
        });
      } catch (error) {
        log.warn({ err: error, lost: batch.length }, 'refusals could not be written to the audit log');
      }
    }
    running = undefined;
  }

  return {
    note(denial) {
      const nowMs = now();
      const key = `${callerOf(denial.actor)} ${denial.method} ${denial.path} ${denial.code}`;
      const room = dropOld(nowMs);
      if (noted.has(key)) return;
      if (!room || waiting.length >= WAITING_MAX) {
        log.debug({ method: denial.method, path: denial.path }, 'a refusal was not written to the audit log');
        return;
      }
      noted.set(key, nowMs);
      waiting.push(denial);
      running ??= writeWaiting();
    },
    close: async () => running,
  };
}
