// Kept numbers of groups: by source, application, level, service and state, for each source and for all sources
// together.
import { type Sql, statement } from '@quarterdeck/core/db';
import { tallyTable } from './tally.ts';

/** Stands for all sources: in `errlog_total` as `src` of the number of groups. */
export const ALL_SOURCES = -2;
/** Stands for all sources: in `errlog_total` of equal errors counted once, in `errlog_rate` of occurrences. */
export const ANY_SOURCE = -1;

/** Table of the numbers. Rows of {@link ANY_SOURCE} have the state `''`. */
export const TOTAL = tallyTable('errlog_total', {
  src: 'int',
  app_id: 'int',
  level: 'int',
  service: 'text',
  state: 'text',
});

/** Groups of one level, of one source or of {@link ALL_SOURCES}. An index has them in the order of time. */
export interface Scope {
  readonly src: number;
  readonly level: number;
}

/** A scope with the number of its groups. */
export type SizedScope = Scope & { readonly n: number };

/** The part of a filter that scopes express. */
export interface ScopeFilter {
  readonly levels: { readonly from: number; readonly to: number } | undefined;
  readonly src: number | undefined;
  readonly nodeType: number | undefined;
  readonly nodeId: number | undefined;
}

const SIZES = 'SELECT t.src, t.level, CAST(sum(t.n) AS bigint) AS n FROM errlog_total t';
const OF_LEVELS = 't.level >= ? AND t.level <= ?';
const BY_SCOPE = 'GROUP BY t.src, t.level';
const OF_SOURCE = statement(`${SIZES} WHERE t.src = ? AND ${OF_LEVELS} ${BY_SCOPE}`, { isShort: true });
const ofNodes = (condition: string) =>
  statement(`${SIZES} JOIN source s ON s.id = t.src WHERE ${OF_LEVELS} AND ${condition} ${BY_SCOPE}`);
const OF_NODE_TYPE = ofNodes('s.node_type = ?');
const OF_NODE_ID = ofNodes('s.node_id = ?');
const OF_NODE = ofNodes('s.node_type = ? AND s.node_id = ?');

/** The non-empty scopes that together make up a filter. */
export async function scopesOf(sql: Sql, { levels, src, nodeType, nodeId }: ScopeFilter): Promise<SizedScope[]> {
  const { from, to } = levels ?? { from: 0, to: 99 };
  const ofNode = async () => {
    if (nodeType === undefined) return sql.all<SizedScope>(OF_NODE_ID, from, to, nodeId ?? 0);
    if (nodeId === undefined) return sql.all<SizedScope>(OF_NODE_TYPE, from, to, nodeType);
    return sql.all<SizedScope>(OF_NODE, from, to, nodeType, nodeId);
  };
  if (nodeType === undefined && nodeId === undefined) {
    return sql.all<SizedScope>(OF_SOURCE, src ?? ALL_SOURCES, from, to);
  }
  const scopes = await ofNode();
  return src === undefined ? scopes : scopes.filter((scope) => scope.src === src);
}
