// Odd one out of an error: its failing hosts against their twins when it began.
import { AppError, type ErrlogEntry, type OddList } from '@quarterdeck/core';
import type { Database } from '@quarterdeck/core/db';
import { EventLoopYield } from '@quarterdeck/core/threads';
import type { SourceAccess } from '@quarterdeck/store';
import { affectedGroups } from './affected-groups.ts';
import { findOdd, hiddenOdd } from './odd-one-out.ts';

/** An error, and what the caller may see. */
interface OddErrorQuery {
  readonly group: ErrlogEntry;
  readonly showsAgents: boolean;
  readonly access?: SourceAccess | undefined;
}

/**
 * Compares the hosts of an error with their twins.
 *
 * @throws AppError `not_found`
 */
export async function oddOfError(
  db: Database,
  { group, showsAgents, access }: OddErrorQuery,
  nowMs: number,
): Promise<OddList> {
  const { fingerprint = '', level, app_id: appId = 0, service = '' } = group;
  const { groups, complete } = await affectedGroups(db, { fingerprint, level, appId }, new EventLoopYield());
  const seen = groups.filter(({ src }) => access?.has({ src, service }) !== false);
  if (seen.length === 0) throw new AppError('not_found');
  const atMs = seen.reduce((least, { began }) => Math.min(least, began), Number.POSITIVE_INFINITY) * 1000;
  if (!showsAgents) return hiddenOdd(atMs);
  const failing = [...new Set(seen.map(({ agent }) => agent).filter((agent) => agent > 0))];
  const odd = await findOdd(db, { failing, atMs, service, seen: access?.agents }, nowMs);
  return { ...odd, meta: { ...odd.meta, complete: odd.meta.complete && complete } };
}
