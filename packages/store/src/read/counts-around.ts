// Occurrences of all groups before and after a moment.
import { type Sql, statement } from '@quarterdeck/core/db';
import { spanValues, sumOfMinutes } from '../tables/group-minutes.ts';

/** Minutes before and after a moment, counted from 1970. The ends are excluded. */
export interface CountSpan {
  readonly from: number;
  readonly beforeEnd: number;
  readonly afterStart: number;
  readonly to: number;
}

/** Occurrences of a group before and after a moment, with the source that it is on. */
export interface GroupCounts {
  readonly id: number;
  readonly log_time: number;
  readonly fingerprint: string;
  readonly level: number;
  readonly appId: number;
  /** Agent that the source belongs to; 0 is none that is known. */
  readonly agent: number;
  readonly name: string;
  readonly address: string;
  readonly before: number;
  readonly after: number;
}

const COUNTS = statement(
  (
    dialect,
  ) => `SELECT e.id, e.log_time, e.fingerprint, e.level, e.app_id AS "appId", s.agent_id AS agent, s.name, s.address,
     ${sumOfMinutes(dialect, 'e.id')} AS before, ${sumOfMinutes(dialect, 'e.id')} AS after
   FROM errlog e JOIN source s ON s.id = e.src
   WHERE e.log_time >= ? AND (e.log_time, e.id) < (?, ?) ORDER BY e.log_time DESC, e.id DESC LIMIT ?`,
);

/**
 * Groups whose latest line is from the span or later, latest first, behind a group where one is given. Some have no
 * occurrences in the span.
 */
export function countsAround(
  sql: Sql,
  { from, beforeEnd, afterStart, to }: CountSpan,
  behind: GroupCounts | undefined,
  limit: number,
): Promise<GroupCounts[]> {
  const last = [behind?.log_time ?? Number.MAX_SAFE_INTEGER, behind?.id ?? 0];
  const spans = [...spanValues(from, beforeEnd), ...spanValues(afterStart, to)];
  return sql.all<GroupCounts>(COUNTS, ...spans, from * 60, ...last, limit);
}
