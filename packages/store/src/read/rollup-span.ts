// Occurrences of rolled-up errors in a span, over all of their groups.
import type { ErrlogEntry } from '@quarterdeck/core';
import { cached, inJson } from '@quarterdeck/core/sql';
import { errorCondition, errorOf } from '../tables/fingerprint-index.ts';
import { countInSpan, type GroupReader } from './line-search.ts';
import type { Selection } from './selection.ts';
import { seenBy } from './source-access.ts';

/** A group of an error whose newest group is `shown`. */
interface Member {
  readonly shown: number;
  readonly id: number;
}

/** Adds the occurrences in the span of a selection to errors. Most groups happened in no other time. */
export async function withErrorSpan(
  reader: GroupReader,
  selection: Selection,
  errors: readonly ErrlogEntry[],
): Promise<ErrlogEntry[]> {
  const { dialect, read } = reader.db;
  const seen = seenBy(reader.access, 'e');
  const { start_time: start = 0, end_time: end = Number.MAX_SAFE_INTEGER } = selection.groups;
  const ids = JSON.stringify(errors.map(({ id }) => id));
  const groups = `FROM errlog p JOIN errlog e ON ${errorCondition(dialect, 'e', errorOf('p'))}
    WHERE ${inJson(dialect, 'p.id')} AND ${seen.text}`;
  const whole = `SELECT p.id AS shown, CAST(sum(e.count) AS bigint) AS count ${groups}
    AND e.first_seen >= ? AND e.log_time <= ? GROUP BY p.id`;
  const cut = `SELECT p.id AS shown, e.id ${groups}
    AND e.first_seen <= ? AND e.log_time >= ? AND (e.first_seen < ? OR e.log_time > ?)`;
  const sums = new Map<number, number>();
  const add = (shown: number, count: number) => sums.set(shown, count + (sums.get(shown) ?? 0));
  for (const { shown, count } of await read.sql.all<{ shown: number; count: number }>(
    cached(whole),
    ids,
    ...seen.values,
    start,
    end,
  )) {
    add(shown, count);
  }
  const members = await read.sql.all<Member>(cached(cut), ids, ...seen.values, end, start, start, end);
  const counts = members.length === 0 ? undefined : await countInSpan(reader, selection, idsOf(members));
  for (const { shown, id } of members) add(shown, counts?.get(id) ?? 0);
  return errors.map((error) => ({ ...error, count_in_range: sums.get(error.id) ?? 0 }));
}

const idsOf = (members: readonly Member[]): number[] => members.map(({ id }) => id);
