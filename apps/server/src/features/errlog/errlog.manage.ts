// What people change of groups: states and notes, one by one or many at once.
import {
  AppError,
  type BulkResult,
  type ErrlogBulk,
  type ErrlogChange,
  type ErrlogEntry,
  type UserActor,
  unixSeconds,
} from '@quarterdeck/core';
import type { Database, Sql, Tx } from '@quarterdeck/core/db';
import type { CallContext, Deps } from '../../deps.ts';
import { walkGroups } from '../../errlog-store/read/all-groups.ts';
import { errlogByIds } from '../../errlog-store/tables/columns.ts';
import { aboutError } from '../../errlog-store/tables/fingerprint-index.ts';
import { lockGroups } from '../../errlog-store/write/batch.ts';
import { announceChange, type ChangedRow, changeGroups, groupRows } from './errlog.change.ts';

/** Groups changed in one write. */
const SLICE = 500;
interface Caller {
  readonly actor: UserActor;
  readonly request: CallContext['request'];
}

const SOURCES = aboutError((condition) => `SELECT count(*) AS n FROM errlog e WHERE ${condition}`);

/**
 * One group with everything known of it.
 *
 * @throws AppError `not_found`
 */
export async function getErrlog(sql: Sql, id: number): Promise<ErrlogEntry> {
  const [entry] = await errlogByIds(sql, [id]);
  if (entry === undefined) throw new AppError('not_found');
  const { fingerprint = '', level, app_id = 0 } = entry;
  const sources = (await sql.get<{ n: number }>(SOURCES, fingerprint, level, app_id))?.n ?? 0;
  return { ...entry, sources };
}

/** Changes of groups by people. */
export function createManager({ db, events, audit, now }: Deps) {
  const change = async (tx: Tx, ids: readonly number[], wanted: ErrlogChange) => {
    await lockGroups(tx, db.dialect);
    return changeGroups(tx, db.dialect, ids, wanted, unixSeconds(now()));
  };

  return {
    /** Changes one group. */
    async update(id: number, wanted: ErrlogChange, { actor, request }: Caller): Promise<ErrlogEntry> {
      await db.write(async (tx) => {
        const [before] = await change(tx, [id], wanted);
        if (before === undefined) throw new AppError('not_found');
        await announceChange(tx, events, [id]);
        await audit.record(tx, {
          ...{ action: 'errlog.update', actor, request, target: { kind: 'errlog', id } },
          detail: { before: { state: before.state, until: before.until, note: before.note }, after: wanted },
        });
      });
      return getErrlog(db.read.sql, id);
    },

    /** Changes many, in slices: what one slice changed stays, whatever becomes of the next. */
    async bulk({ ids, filter, state, until, dry_run }: ErrlogBulk, { actor, request }: Caller): Promise<BulkResult> {
      const failed: BulkResult['failed'] = [];
      const wanted: ErrlogChange = until === undefined ? { state } : { state, until };
      let matched = 0;
      let done = 0;
      const runs = ids === undefined ? idsOf(db, filter ?? {}) : [[...new Set(ids)]];
      for await (const run of runs) {
        for (let at = 0; at < run.length; at += SLICE) {
          const slice = run.slice(at, at + SLICE);
          const rows = dry_run
            ? await groupRows(db.read, db.dialect, slice)
            : await db.write(async (tx) => {
                const changed = await change(tx, slice, wanted);
                const changedIds = changed.map(({ id }) => id);
                await announceChange(tx, events, changedIds);
                await audit.record(tx, {
                  ...{ action: 'errlog.bulk', actor, request, target: { kind: 'errlog', id: 0 } },
                  detail: { ...wanted, ...(filter === undefined ? {} : { filter }), ids: changedIds },
                });
                return changed;
              });
          matched += rows.length;
          if (!dry_run) done += rows.length;
          if (ids !== undefined) failed.push(...missing(slice, rows));
        }
      }
      return { matched, done, failed };
    },
  };
}

async function* idsOf(db: Database, filter: NonNullable<ErrlogBulk['filter']>): AsyncGenerator<number[]> {
  for await (const run of walkGroups<{ id: number }>(db, filter, 'e.id')) yield run.map(({ id }) => id);
}

function missing(wanted: readonly number[], rows: readonly ChangedRow[]): BulkResult['failed'] {
  const found = new Set(rows.map(({ id }) => id));
  return wanted.filter((id) => !found.has(id)).map((id) => ({ id, msg: 'There is no such group.' }));
}
