// The lists of error logs for one caller.
import { type Actor, unixSeconds } from '@quarterdeck/core';
import { type ErrlogLists, errlogLists } from '@quarterdeck/store';
import { searcherOf } from '../line/line.service.ts';
import { accessOf } from '../seen-sources.ts';
import type { ErrlogNeeds } from './needs.ts';

export type ListDeps = Pick<ErrlogNeeds, 'db' | 'lineReads' | 'now'>;

/** Returns the lists of a caller, narrowed to what it may see. Searches count for the credential. */
export async function listsOf({ db, lineReads, now }: ListDeps, actor: Actor): Promise<ErrlogLists> {
  const access = await accessOf(db, actor);
  return errlogLists({ db, lines: lineReads, credential: searcherOf(actor), nowS: unixSeconds(now()), access });
}
