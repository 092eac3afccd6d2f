// Sources that a caller may see: the one place where services ask (decision 088).
import { type Actor, allOf, isRestricted, sourcesOf } from '@quarterdeck/core';
import type { Database } from '@quarterdeck/core/db';
import { type LineQuery, readAccess, type SourceAccess } from '@quarterdeck/store';

/** Returns what a caller may see; undefined for everything. */
export const accessOf = async (db: Database, actor: Actor | null): Promise<SourceAccess | undefined> =>
  isRestricted(actor) ? readAccess(db, sourcesOf(actor)) : undefined;

/** Narrows a condition on lines to what a caller may see. */
export const linesWithin = (query: LineQuery, access: SourceAccess | undefined): LineQuery =>
  access === undefined ? query : { ...query, filter: allOf([query.filter ?? { kind: 'all' }, access.filter]) };
