// Groups from before services were stored: the first service that sends the error of one becomes its service. So it
// keeps its state, mutes and history.
import { statement } from '@quarterdeck/core/db';
import { GROUP_ID } from '../tables/fingerprint-index.ts';
import { KNOWN } from './batch.ts';

/** Tells whether there is a group without a known service. */
export const ANY_UNNAMED = statement('SELECT 1 AS found FROM errlog WHERE service IS NULL LIMIT 1');

/** Finds a group without a known service by its key, on SQLite. */
export const FIND_UNNAMED = statement(
  { sqlite: `SELECT ${KNOWN} FROM errlog e WHERE e.id = ${GROUP_ID} AND e.service IS NULL`, postgresql: '' },
  { numbersMeetColumns: true },
);

/** Sets the fingerprint and the service of a group. */
export const ADOPT = statement('UPDATE errlog SET fingerprint = ?, service = ? WHERE id = ?');
