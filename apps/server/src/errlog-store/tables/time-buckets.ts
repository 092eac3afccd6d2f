// How many groups there are, and where the n-th one is, without counting rows.
//
// The list is ordered by `log_time`, which moves whenever a group is seen again. For each scope (everything, a level, a
// level of a source) `errlog_rank` keeps the number of groups per bucket of time, at four heights: buckets of 64 s, 68
// minutes, 3 days, and one that holds everything. A deep page walks down: at most some dozens of rows per height. A group
// seen again within its 64 seconds changes no bucket, so a flood of repeats costs nothing here.
import { type Sql, statement } from '@quarterdeck/core/db';
import { Tally, tallyTable } from './tally.ts';

/** A set of groups whose size is kept. -1 is any. */
export interface Scope {
  readonly src: number;
  readonly level: number;
}

/** Any source, or any level. */
export const ANY = -1;

/** Seconds per bucket at each height; the last holds all time. */
export const WIDTHS = [64, 64 ** 2, 64 ** 3, Number.POSITIVE_INFINITY] as const;
/** The height of the one bucket that holds everything. */
export const TOP = WIDTHS.length - 1;

/** The bucket of a time, in Unix seconds. */
export const bucketOf = (logTime: number, height: number) =>
  Math.floor(logTime / (WIDTHS[height] ?? Number.POSITIVE_INFINITY));

/** Collects the changes of one batch, so that each bucket is written once. */
export class RankChanges {
  /** At the lowest height alone: the others follow from it. */
  readonly #lowest = new Tally<readonly [src: number, level: number, bucket: number]>();

  /** `n` groups appear at a time; negative: they are gone. */
  add(src: number, level: number, logTime: number, n = 1): void {
    this.#lowest.add([src, level, bucketOf(logTime, 0)], n);
  }

  /** A group is seen again at a later time. */
  move(src: number, level: number, from: number, to: number): void {
    if (bucketOf(from, 0) === bucketOf(to, 0)) return;
    this.add(src, level, from, -1);
    this.add(src, level, to);
  }

  /** The changes at every height and in every scope. */
  tally(): Tally {
    const all = new Tally();
    for (const { key, n } of this.#lowest.changes()) {
      const [src, level, lowest] = key;
      for (let height = 0; height <= TOP; height += 1) {
        const bucket = bucketOf(lowest * WIDTHS[0], height);
        all.add([height, ANY, ANY, bucket], n);
        all.add([height, ANY, level, bucket], n);
        all.add([height, src, level, bucket], n);
      }
    }
    return all;
  }
}

/** Where {@link RankChanges} are kept. */
export const RANK = tallyTable('errlog_rank', { height: 'int', src: 'int', level: 'int', bucket: 'int8' });

/** A scope with the number of its groups. */
export type SizedScope = Scope & { readonly n: number };

const SIZE = `SELECT r.src, r.level, r.n FROM errlog_rank r WHERE r.height = ${TOP} AND r.bucket = 0`;
const ALL = statement(`${SIZE} AND r.src = ${ANY} AND r.level = ${ANY}`);
const LEVEL = statement(`${SIZE} AND r.src = ${ANY} AND r.level >= ? AND r.level <= ?`);
const SOURCE = statement(`${SIZE} AND r.src = ? AND r.level >= ? AND r.level <= ?`);
const NODES = `${SIZE.replace('WHERE', 'JOIN source s ON s.id = r.src WHERE')} AND r.level >= ? AND r.level <= ?`;
const NODE_TYPE = statement(`${NODES} AND s.node_type = ?`);
const NODE_ID = statement(`${NODES} AND s.node_id = ?`);
const NODE_BOTH = statement(`${NODES} AND s.node_type = ? AND s.node_id = ?`);

/** What a list is narrowed to, as far as scopes can express it. */
export interface ScopeFilter {
  readonly levels: { readonly from: number; readonly to: number } | undefined;
  readonly src: number | undefined;
  readonly nodeType: number | undefined;
  readonly nodeId: number | undefined;
}

/** The non-empty scopes that together make up a filter. Their sizes add up to its count. */
export async function scopesOf(sql: Sql, filter: ScopeFilter): Promise<SizedScope[]> {
  const { src, nodeType, nodeId } = filter;
  const { from, to } = filter.levels ?? { from: 0, to: 99 };
  if (nodeType !== undefined || nodeId !== undefined) {
    const scopes =
      nodeId === undefined
        ? await sql.all<SizedScope>(NODE_TYPE, from, to, nodeType ?? 0)
        : nodeType === undefined
          ? await sql.all<SizedScope>(NODE_ID, from, to, nodeId)
          : await sql.all<SizedScope>(NODE_BOTH, from, to, nodeType, nodeId);
    return src === undefined ? scopes : scopes.filter((scope) => scope.src === src);
  }
  if (src !== undefined) return sql.all<SizedScope>(SOURCE, src, from, to);
  if (filter.levels !== undefined) return sql.all<SizedScope>(LEVEL, from, to);
  return sql.all<SizedScope>(ALL);
}
