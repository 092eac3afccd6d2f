// Groups from before services were stored: the first service that sends the error of one becomes its service. A sender
// that had another name then finds them under that name. So groups keep their state, mutes and history.
import { statement } from '@quarterdeck/core/db';
import { fingerprint, isChosen } from '@quarterdeck/core/fingerprint';
import { GROUP_ID } from '../tables/fingerprint-index.ts';
import type { GroupKey } from '../tables/group-key.ts';
import { type GroupBatch, KNOWN } from './batch.ts';

/** Tells whether there is a group without a known service. */
export const ANY_UNNAMED = statement('SELECT 1 AS found FROM errlog WHERE service IS NULL LIMIT 1');

/** Finds a group without a known service by its key, on SQLite. */
export const FIND_UNNAMED = statement(
  { sqlite: `SELECT ${KNOWN}, e.src FROM errlog e WHERE e.id = ${GROUP_ID} AND e.service IS NULL`, postgresql: '' },
  { numbersMeetColumns: true },
);

/** Sets the fingerprint, the service and the source of a group. */
export const ADOPT = statement('UPDATE errlog SET fingerprint = ?, service = ?, src = ? WHERE id = ?');

/** Keys under which a version without services may have stored the lines of a new group, the likeliest first. */
export function unnamedKeys({ src, formerSrc, appId, level, service, log, ...group }: GroupBatch): GroupKey[] {
  if (isChosen(group.fingerprint)) return [];
  const sources = [...(service === '' ? [] : [src]), ...(formerSrc === undefined ? [] : [formerSrc])];
  if (sources.length === 0) return [];
  const print = fingerprint(log);
  return sources.map((source) => ({ src: source, appId, level, fingerprint: print }));
}
