// Erases lines for good: a leaked secret, or the data of a person.
import { createHash } from 'node:crypto';
import type { UserActor } from '@quarterdeck/core';
import {
  type contract,
  type Data,
  type Filter,
  invalidField,
  parseFilter,
  termsOf,
  unixSeconds,
} from '@quarterdeck/core';
import { eraseByFilter } from '@quarterdeck/store';
import type { CallContext } from '../call-context.ts';
import { copiesOnDisk } from './copies-on-disk.ts';
import { ERASED_TABLES } from './erase-places.ts';
import { eraseCopies } from './erased-copies.ts';
import type { LineNeeds } from './needs.ts';

interface EraseCall {
  readonly body: { readonly filter: string; readonly dry_run: boolean };
  readonly actor: UserActor;
  readonly request: CallContext['request'];
}

/**
 * Erases the lines of a filter. The audit log has the hash of the filter, which may contain the secret: an entry before
 * anything is erased, and one with the numbers afterwards.
 */
export async function eraseLines(
  deps: Pick<LineNeeds, 'db' | 'audit' | 'packer' | 'attempts' | 'now' | 'folders'>,
  { body, actor, request }: EraseCall,
): Promise<Data<(typeof contract)['line']['erase']>> {
  const { db, audit, packer, now } = deps;
  const { filter: text, dry_run: dryRun } = body;
  const filter = checked(parseFilter(text));
  const filter_sha256 = createHash('sha256').update(text).digest('hex');
  const record = (action: string, detail: object) =>
    db.write((tx) => audit.record(tx, { action, actor, request, detail: { filter_sha256, ...detail } }));

  if (!dryRun) await record('line.erase', {});
  const erased = await eraseByFilter(db, packer, filter, { dryRun, nowS: unixSeconds(now()) });
  const { lines, groups, damaged } = erased;
  const copies = await eraseCopies(deps, erased, dryRun);
  if (!dryRun) await db.clearDeleted(ERASED_TABLES);
  const backups = copiesOnDisk(deps.folders);
  const result = {
    matched: lines,
    erased: dryRun ? 0 : lines,
    groups,
    ...copies,
    backups,
    ...(damaged.length > 0 && { damaged: [...damaged] }),
  };
  if (!dryRun) await record('line.erased', result);
  return result;
}

/** Refuses filters of all lines, and of states, which change while lines are erased. */
function checked(filter: Filter): Filter {
  const refuse = (message: string) => invalidField('body.filter', message);
  if (filter.kind === 'all') throw refuse('must have a term; this filter would erase every line');
  const namesState = termsOf(filter).some((term) => term.kind === 'field' && term.field === 'state');
  if (namesState) throw refuse('must not have state:, because states change; use other terms');
  return filter;
}
