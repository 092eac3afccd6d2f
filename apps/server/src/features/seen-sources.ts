// Sources that a caller may see: the one place where services ask (decision 088).
import { type Actor, allOf, isRestricted, sourcesOf, unixSeconds } from '@quarterdeck/core';
import type { Database } from '@quarterdeck/core/db';
import {
  type ErrlogLists,
  errlogLists,
  type LineQuery,
  type LineReads,
  readAccess,
  type SourceAccess,
} from '@quarterdeck/store';

/** Returns what a caller may see; undefined for everything. */
export const accessOf = async (db: Database, actor: Actor | null): Promise<SourceAccess | undefined> =>
  isRestricted(actor) ? readAccess(db, sourcesOf(actor)) : undefined;

/** Narrows a condition on lines to what a caller may see. */
export const linesWithin = (query: LineQuery, access: SourceAccess | undefined): LineQuery =>
  access === undefined ? query : { ...query, filter: allOf([query.filter ?? { kind: 'all' }, access.filter]) };

export interface ListDeps {
  readonly db: Database;
  readonly lineReads: LineReads;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Returns the lists of error logs of a caller, narrowed to what it may see. */
export async function listsOf({ db, lineReads, now }: ListDeps, actor: Actor): Promise<ErrlogLists> {
  const access = await accessOf(db, actor);
  return errlogLists({ db, lines: lineReads, credential: searcherOf(actor), nowS: unixSeconds(now()), access });
}

/** Key of a caller: each has two searches at once. */
export const searcherOf = (actor: Actor): string =>
  actor.kind === 'user' ? `${actor.credential.kind} ${actor.credential.id}` : actor.kind;
