// The groups of one error: all sources that have it, and its occurrences by the minute.
import type { ErrlogEntry } from '@quarterdeck/core';
import { type Dialect, type Sql, statement } from '@quarterdeck/core/db';
import { cached } from '@quarterdeck/core/sql';
import { DETAIL_COLUMNS, toDetail } from '../tables/columns.ts';
import { errorCondition, errorOf, errorStatement } from '../tables/fingerprint-index.ts';
import type { ErrorKey } from '../tables/group-key.ts';
import { minutesOfGroups, spanValues, sumOfMinutes } from '../tables/group-minutes.ts';
import type { Sender } from '../tables/sources.ts';
import { type SourceAccess, seenBy } from './source-access.ts';

const byId = (dialect: Dialect, ofOthers: string) => `SELECT ${DETAIL_COLUMNS},
      (SELECT count(*) FROM errlog o WHERE ${errorCondition(dialect, 'o', errorOf('e'))}${ofOthers}) AS sources
    FROM errlog e JOIN source s ON s.id = e.src WHERE e.id = ?`;
const BY_ID = statement((dialect) => byId(dialect, ''), { isShort: true });

/**
 * A group with the number of sources that have its error, among those that the caller may see. Undefined where it may
 * not see the group: one that does not exist takes the same statement.
 */
export async function groupById(
  sql: Sql,
  dialect: Dialect,
  id: number,
  access: SourceAccess | undefined,
): Promise<ErrlogEntry | undefined> {
  const seen = seenBy(access, 'o');
  const query = access === undefined ? BY_ID : cached(byId(dialect, ` AND ${seen.text}`));
  const entry = await sql.get<ErrlogEntry>(query, ...seen.values, id);
  return entry === undefined || access?.has(entry) === false ? undefined : toDetail(entry);
}

const OF_SENDER = errorStatement(
  (condition) => `SELECT e.id FROM errlog e JOIN source s ON s.id = e.src WHERE ${condition}
   AND s.node_type = ? AND s.node_id = ? AND s.name = ? AND s.agent_id = ?`,
);

/** Id of the group of an error on the source of a sender. */
export async function findGroup(sql: Sql, key: ErrorKey, sender: Sender): Promise<number | undefined> {
  const { fingerprint, level, appId } = key;
  const { nodeType, nodeId, name, agentId = 0 } = sender;
  return (await sql.get<{ id: number }>(OF_SENDER, fingerprint, level, appId, nodeType, nodeId, name, agentId))?.id;
}

/** An error on one source. */
export interface SourceGroup {
  readonly id: number;
  readonly src: number;
  readonly count: number;
  /** Unix seconds: the earlier of the time in its first line and of that line's arrival. */
  readonly began: number;
  /** Agent that the source belongs to; 0 is none that is known. */
  readonly agent: number;
  /** Name and address of the source. */
  readonly name: string;
  readonly address: string;
}

// The time in a line is by the sender's clock, which may be ahead.
const BY_SOURCE = errorStatement(
  (condition) => `SELECT e.id, e.src, e.count, s.agent_id AS agent, s.name, s.address,
     CASE WHEN e.arrived > 0 AND e.arrived < e.first_seen THEN e.arrived ELSE e.first_seen END AS began
   FROM errlog e JOIN source s ON s.id = e.src
   WHERE ${condition} AND e.src > ? ORDER BY e.src LIMIT ?`,
);

/** Groups of an error by rising source, from behind a source on. */
export const groupsOfError = (sql: Sql, key: ErrorKey, afterSrc: number, limit: number): Promise<SourceGroup[]> =>
  sql.all<SourceGroup>(BY_SOURCE, key.fingerprint, key.level, key.appId, afterSrc, limit);

/** Occurrences of some groups in one minute, counted from 1970. */
export interface MinuteCount {
  readonly minute: number;
  readonly n: number;
  /** Number of the groups that occurred. */
  readonly groups: number;
}

const OF_SERVICE = statement(
  (dialect) => `SELECT CAST(coalesce(sum(${sumOfMinutes(dialect, 'e.id')}), 0) AS bigint) AS n
    FROM errlog e WHERE e.src = ? AND e.service = ? AND e.log_time >= ?`,
);

/** Number of lines of a service on a source, from one minute to before another one. */
export async function countOfService(
  sql: Sql,
  src: number,
  service: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<number> {
  const row = await sql.get<{ n: number }>(OF_SERVICE, ...spanValues(from, to), src, service, from * 60);
  return Number(row?.n ?? 0);
}

/** Occurrences of some groups together by the minute, both ends included. */
export async function countByMinute(
  sql: Sql,
  ids: readonly number[],
  from: number,
  to: number,
): Promise<MinuteCount[]> {
  const sums = new Map<number, { minute: number; n: number; groups: number }>();
  for (const { minute, n } of await minutesOfGroups(sql, ids, from, to)) {
    const sum = sums.get(minute);
    if (sum === undefined) {
      sums.set(minute, { minute, n, groups: 1 });
    } else {
      sum.n += n;
      sum.groups += 1;
    }
  }
  return [...sums.values()];
}

/** Minutes before and after a moment. */
export interface GrowthSpan {
  /** The first minute after the moment. */
  readonly minute: number;
  readonly before: number;
  readonly after: number;
}

/**
 * Growth of each group's occurrences at a moment: occurrences after it, less those before it for the same number of
 * minutes. Groups without occurrences in the span are missing.
 */
export async function growthOfGroups(
  sql: Sql,
  ids: readonly number[],
  { minute: middle, before, after }: GrowthSpan,
): Promise<{ readonly id: number; readonly growth: number }[]> {
  const sums = new Map<number, number>();
  for (const { id, minute, n } of await minutesOfGroups(sql, ids, middle - before, middle + after - 1)) {
    // Each side is weighed with the minutes of the other.
    sums.set(id, (sums.get(id) ?? 0) + n * (minute >= middle ? before : -after));
  }
  return Array.from(sums, ([id, sum]) => ({ id, growth: sum / before }));
}
