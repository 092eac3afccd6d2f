// Verifies the audit log all the time: new entries every few minutes, the whole chain once a day. The progress is kept
// in memory: whoever changes the database cannot change it, and a server that starts verifies everything.
import { setImmediate } from 'node:timers/promises';
import type { AuditVerdict } from '@quarterdeck/core';
import type { Database } from '@quarterdeck/core/db';
import type { KeyRing } from '../../auth/key-ring.ts';
import { AUDIT_ORIGIN, type ChainPosition } from './audit.log.ts';
import { auditAfter, firstAudit } from './audit.repo.ts';
import { beginWalk, hasReachedEnd, isSameChain, readStoredEnds, type StoredEnds } from './audit.verify.ts';
import type { ChainWalk } from './chain-walk.ts';

const NEW_EVERY_MS = 3 * 60_000;
const WHOLE_EVERY_MS = 24 * 3_600_000;
/** Entries whose hashes are computed without a pause: some 5 ms. */
const SLICE = 500;
/** Slices of one run, so that a run ends soon. */
const SLICES = 40;

/** Verifies the audit log part by part. */
export interface AuditWatch {
  /** Verifies the next part, where one is due. Concurrent calls share one run. */
  run(): Promise<void>;
  /** Result for all entries; undefined before they have all been verified. */
  verdict(): AuditVerdict | undefined;
}

/** A walk that goes on in the next run, and the settings of the chain with which it began. */
interface Begun {
  readonly walk: ChainWalk;
  readonly start: ChainPosition;
  readonly ends: StoredEnds;
  readonly beganMs: number;
}

/** Creates an {@link AuditWatch}. `now` is in Unix milliseconds. */
export function createAuditWatch(
  { db, key: keys, now }: { readonly db: Database; readonly key: KeyRing; readonly now: () => number },
  slices = SLICES,
): AuditWatch {
  let begun: Begun | undefined;
  let dueMs = 0;
  let verdict: AuditVerdict | undefined;
  let running: Promise<void> | undefined;

  const conclude = (result: AuditVerdict) => {
    verdict = result;
    dueMs = now() + NEW_EVERY_MS;
  };

  /** Concludes that the chain is broken, unless entries or keys were removed while it was read. */
  async function concludeBroken(ends: StoredEnds, result: Omit<AuditVerdict, 'intact'>): Promise<void> {
    begun = undefined;
    if (isSameChain(await readStoredEnds(db.read, keys), ends)) conclude({ intact: false, ...result });
  }

  async function check(): Promise<void> {
    const nowMs = now();
    const isDue = nowMs >= dueMs || nowMs < dueMs - NEW_EVERY_MS;
    if (!isDue) return;
    // The head is read first: entries up to it must exist, later ones may be added meanwhile.
    const ends = await readStoredEnds(db.read, keys);
    const age = nowMs - (begun?.beganMs ?? nowMs);
    if (begun !== undefined && (age < 0 || age >= WHOLE_EVERY_MS || !isSameChain(begun.ends, ends))) begun = undefined;
    if (begun === undefined) {
      const walk = beginWalk(keys, ends);
      if (walk === undefined) return concludeBroken(ends, { checked: 0, broken_at: AUDIT_ORIGIN.id + 1 });
      begun = { walk, start: walk.position, ends, beganMs: nowMs };
    }
    const { walk, start } = begun;
    for (let n = 0; n < slices; n += 1) {
      const { position } = walk;
      const rows = await (position === start ? firstAudit(db.read, SLICE) : auditAfter(db.read, position.id, SLICE));
      for (const row of rows) if (!walk.accept(row)) return concludeBroken(ends, walk.result(start));
      if (rows.length < SLICE) {
        const { id } = walk.position;
        if (!hasReachedEnd(walk, ends)) return concludeBroken(ends, { checked: id, broken_at: id + 1 });
        return conclude({ intact: true, checked: id, broken_at: null });
      }
      await setImmediate();
    }
  }

  return {
    run() {
      running ??= check().finally(() => {
        running = undefined;
      });
      return running;
    },
    verdict: () => verdict,
  };
}
