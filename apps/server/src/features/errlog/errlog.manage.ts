// Changes of groups by people: states and notes, one by one or many at once.
import { createHash } from 'node:crypto';
import {
  AppError,
  type BulkResult,
  type ErrlogBulk,
  type ErrlogChange,
  type ErrlogEntry,
  type ErrlogFilter,
  type UserActor,
  unixSeconds,
} from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';
import type { Versioning } from '@quarterdeck/express/parts';
import { type ChangedGroup, type ErrlogReads, errlogStore, type SourceAccess } from '@quarterdeck/store';
import type { CallContext } from '../call-context.ts';
import { accessOf, listsOf } from '../seen-sources.ts';
import { announceChange } from './errlog.announcer.ts';
import type { ErrlogNeeds } from './needs.ts';

/** Groups changed in one write. */
const SLICE = 500;
interface Caller {
  readonly actor: UserActor;
  readonly request: CallContext['request'];
  readonly version?: Versioning | undefined;
}

/**
 * Reads one group with all its fields, or the one that it was merged into, where the caller may see it; inside a
 * transaction where one is given.
 *
 * @throws AppError `not_found`
 */
export async function getErrlog(
  store: Pick<ErrlogReads, 'group' | 'movedTo'>,
  id: number,
  access: SourceAccess | undefined,
  tx?: Tx,
): Promise<ErrlogEntry> {
  const found = await store.group(id, access, tx);
  const into = found === undefined ? await store.movedTo(id, tx) : undefined;
  const group = into === undefined ? found : await store.group(into, access, tx);
  if (group === undefined) throw new AppError('not_found');
  return group;
}

/** Creates the service functions that change groups. */
export function createManager(deps: ErrlogNeeds) {
  const { db, events, audit, now } = deps;
  const store = errlogStore(db);
  const change = async (tx: Tx, ids: readonly number[], wanted: ErrlogChange, check?: () => Promise<void>) => {
    await store.lock(tx);
    await check?.();
    return store.change(tx, ids, wanted, unixSeconds(now()));
  };

  const seenAmong = async (access: SourceAccess, ids: readonly number[]) =>
    (await store.groupsById(ids)).filter((group) => access.has(group)).map(({ id }) => id);

  return {
    /** Changes one group. */
    async update(asked: number, wanted: ErrlogChange, { actor, request, version }: Caller): Promise<ErrlogEntry> {
      const access = await accessOf(db, actor);
      const id = (await store.movedTo(asked)) ?? asked;
      await db.write(async (tx) => {
        const check = async () => {
          const group = await getErrlog(store, id, access, tx);
          version?.check(group);
        };
        const [before] = await change(tx, [id], wanted, check);
        if (before === undefined) throw new AppError('not_found');
        await announceChange(tx, events, store, [id]);
        await audit.record(tx, {
          action: 'errlog.update',
          actor,
          request,
          target: { kind: 'errlog', id },
          detail: { before: { state: before.state, until: before.until, note: before.note }, after: wanted },
        });
      });
      const group = await getErrlog(store, id, access);
      version?.show(group);
      return group;
    },

    /**
     * Changes many groups in slices. A changed slice stays changed if a later one fails.
     *
     * @throws AppError `conflict` if a search of lines did not see all of them
     */
    async bulk({ ids, filter, state, until, dry_run }: ErrlogBulk, { actor, request }: Caller): Promise<BulkResult> {
      const failed: BulkResult['failed'] = [];
      const wanted: ErrlogChange = until === undefined ? { state } : { state, until };
      let matched = 0;
      let done = 0;
      const unique = (await store.currentIds([...new Set(ids)])).map((id) => ({ id }));
      const runs = ids === undefined ? await (await listsOf(deps, actor)).allIds(filter ?? {}) : [unique];
      // Groups of a filter are narrowed already; those outside are as missing ones.
      const access = ids === undefined ? undefined : await accessOf(db, actor);
      for await (const run of runs) {
        for (let at = 0; at < run.length; at += SLICE) {
          const slice = run.slice(at, at + SLICE).map(({ id }) => id);
          const seen = access === undefined ? slice : await seenAmong(access, slice);
          const rows = dry_run
            ? await store.groupsToChange(seen)
            : await db.write(async (tx) => {
                const changed = await change(tx, seen, wanted);
                const changedIds = changed.map(({ id }) => id);
                await announceChange(tx, events, store, changedIds);
                await audit.record(tx, {
                  action: 'errlog.bulk',
                  actor,
                  request,
                  target: { kind: 'errlog', id: 0 },
                  detail: { ...wanted, ...(filter && { filter: auditedFilter(filter) }), ids: changedIds },
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

/** A filter for the audit log, from which nothing can be erased: what people search for may be a secret of a line. */
function auditedFilter({ q, filter, ...rest }: ErrlogFilter): object {
  return { ...rest, ...(q && { q_sha256: sha256(q) }), ...(filter && { filter_sha256: sha256(filter) }) };
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

function missing(wanted: readonly number[], rows: readonly ChangedGroup[]): BulkResult['failed'] {
  const found = new Set(rows.map(({ id }) => id));
  return wanted.filter((id) => !found.has(id)).map((id) => ({ id, msg: 'Group not found.' }));
}
