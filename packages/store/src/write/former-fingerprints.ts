// The fingerprints that groups had by earlier rules: they stay in the index of SQLite until all groups are changed. An
// error of one group is counted off when the group changes, an error of several when their entries are removed.
import type { SyncSql } from '@quarterdeck/core/db';
import { onSqlite } from '@quarterdeck/core/sql';
import type { Counters } from './counters.ts';

/** Entries of one slice. */
const SLICE = 5_000;

const IN_SLICE = 'fingerprint > ? AND fingerprint <= ?';
const LAST_OF_SLICE = onSqlite(
  `SELECT fingerprint FROM errlog_fingerprint WHERE fingerprint > ? AND fingerprint < ?
   ORDER BY fingerprint LIMIT 1 OFFSET ${SLICE - 1}`,
);
/** Finds errors of several groups that none of them has any more. */
const GONE = onSqlite(
  `SELECT app_id, level, service, count(*) AS n FROM (
     SELECT f.fingerprint, f.level, f.app_id, coalesce(max(e.service), '') AS service
     FROM errlog_fingerprint f LEFT JOIN errlog e ON e.id = f.id
     WHERE f.fingerprint > ? AND f.fingerprint <= ?
     GROUP BY f.fingerprint, f.level, f.app_id
     HAVING coalesce(max(e.fingerprint = f.fingerprint), 0) = 0 AND count(*) > 1)
   GROUP BY app_id, level, service`,
);
const REMOVE = ['new', 'old'].map((name) =>
  onSqlite(
    `DELETE FROM errlog_fingerprint_${name} WHERE ${IN_SLICE} AND NOT EXISTS (SELECT 1 FROM errlog e
       WHERE e.id = errlog_fingerprint_${name}.id AND e.fingerprint = errlog_fingerprint_${name}.fingerprint)`,
  ),
);

const GROUPS_OF_ERROR = onSqlite(
  `SELECT count(*) AS n FROM (SELECT 1 FROM errlog_fingerprint
     WHERE fingerprint = ? AND level = ? AND app_id = ? LIMIT 2)`,
);

export interface FormerError {
  readonly fingerprint: string;
  readonly level: number;
  readonly appId: number;
  readonly service: string;
}

/** Counts the error of a group that has another one now, if no other group had it. */
export function countFormerError(sql: SyncSql, error: FormerError, counters: Counters): void {
  const { fingerprint, level, appId } = error;
  const alone = sql.get<{ n: number }>(GROUPS_OF_ERROR, fingerprint, level, appId)?.n === 1;
  if (alone) counters.distinctErrors(error, -1);
}

interface Gone {
  readonly app_id: number;
  readonly level: number;
  readonly service: string;
  readonly n: number;
}

/**
 * Removes entries after one fingerprint and before `version` whose groups have another fingerprint now. Returns the
 * last fingerprint of the slice; undefined after the last slice.
 */
export function removeFormerEntries(
  sql: SyncSql,
  after: string,
  version: string,
  counters: Counters,
): string | undefined {
  const last = sql.get<{ fingerprint: string }>(LAST_OF_SLICE, after, version)?.fingerprint;
  const slice = [after, last ?? version] as const;
  for (const { app_id: appId, level, service, n } of sql.all<Gone>(GONE, ...slice)) {
    counters.distinctErrors({ appId, level, service }, -n);
  }
  for (const remove of REMOVE) sql.run(remove, ...slice);
  return last;
}
