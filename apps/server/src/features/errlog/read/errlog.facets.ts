// What the groups of a filter are made of. Kept counts where they know; otherwise the groups are counted, up to a bound.
import { ERRLOG_STATES, type ErrlogFacets, type ErrlogFilter, LEVELS } from '@quarterdeck/core';
import type { Database, SqlValue } from '@quarterdeck/core/db';
import { SHOWN_NAME, toNodeId } from '../intake/source.repo.ts';
import { cached, isCounted, totalWhere } from './errlog.filter.ts';
import { someGroups } from './errlog.search.ts';

/** Groups that are counted one by one. */
const GROUPS_MAX = 100_000;

/** Rows (src, app_id, level, state, n) to add up. */
interface Counts {
  readonly from: string;
  readonly values: readonly SqlValue[];
  readonly partial: boolean;
}

/** The facets of a filter; of sources and apps the `top` largest. */
export async function errlogFacets(db: Database, filter: ErrlogFilter, top: number): Promise<ErrlogFacets> {
  const { sql } = db.read;
  const { from, values, partial } = await countsOf(db, filter);
  const by = <Row>(column: string, most: number) => {
    const text = `SELECT t.${column}, CAST(sum(t.n) AS bigint) AS count FROM ${from}
      GROUP BY t.${column} ORDER BY count DESC, t.${column} LIMIT ?`;
    return sql.all<Row>(cached(text), ...values, most);
  };
  const levels = await by<{ level: number; count: number }>('level', LEVELS.length);
  const states = await by<ErrlogFacets['states'][number]>('state', ERRLOG_STATES.length);
  const apps = await by<{ app_id: number; count: number }>('app_id', top);
  const named = `SELECT t.src, ${SHOWN_NAME} AS name, s.node_type, s.node_id, t.count FROM
    (SELECT t.src, CAST(sum(t.n) AS bigint) AS count FROM ${from} GROUP BY t.src ORDER BY count DESC, t.src LIMIT ?) t
    JOIN source s ON s.id = t.src ORDER BY t.count DESC, t.src`;
  const sources = await sql.all<ErrlogFacets['sources'][number] & { node_id: number }>(cached(named), ...values, top);
  return {
    levels: levels.sort((a, b) => a.level - b.level),
    states,
    sources: sources.map((source) => ({ ...source, node_id: toNodeId(source.node_id) })),
    apps,
    ...(partial ? { partial } : {}),
  };
}

async function countsOf(db: Database, filter: ErrlogFilter): Promise<Counts> {
  if (isCounted(filter)) {
    const where = totalWhere(filter);
    return { from: `errlog_total t${where.text}`, values: where.values, partial: false };
  }
  const columns = 'e.src, e.app_id, e.level, e.state, 1 AS n';
  const { groups, values, partial } = await someGroups(db, filter, columns, GROUPS_MAX);
  return { from: `(${groups}) t`, values, partial };
}
