// Groups of the lines that arrived in a span: those whose place in a list may have changed.
import { type Sql, statement } from '@quarterdeck/core/db';
import { EventLoopYield } from '@quarterdeck/core/threads';
import { DamagedPart } from '../segments/damage.ts';
import { idsOfGroups } from '../segments/segment-reader.ts';
import { readMoved } from '../tables/moved-groups.ts';

const SEGMENTS_AT_ONCE = 200;
/** Most segments that are read. */
const SEGMENTS_MAX = 5_000;

const HEADS = statement(
  `SELECT id, last_id, n, "groups" FROM errlog_segment
   WHERE id >= (SELECT coalesce(max(id), 0) FROM errlog_segment WHERE id <= ?) AND last_id >= ? AND id < ?
   ORDER BY id LIMIT ?`,
);

interface Head {
  readonly id: number;
  readonly last_id: number;
  readonly n: number;
  readonly groups: Uint8Array;
}

/**
 * Returns the ids of groups with lines from the id `since` to before `until`, and perhaps of others, by falling id.
 * Undefined if some of these lines were removed or are damaged, or are in too many segments.
 */
export async function groupsOfLines(sql: Sql, since: number, until: number): Promise<number[] | undefined> {
  const eventLoop = new EventLoopYield();
  const ids = new Set<number>();
  const moved = await readMoved(sql);
  let next = since;
  for (let seen = 0; next < until; ) {
    if (seen >= SEGMENTS_MAX) return undefined;
    const heads = await sql.all<Head>(HEADS, next, next, until, SEGMENTS_AT_ONCE);
    if (heads.length === 0) return undefined;
    for (const head of heads) {
      if (head.id > next || head.n !== head.last_id - head.id + 1) return undefined;
      try {
        for (const id of idsOfGroups(head)) ids.add(moved.get(id) ?? id);
      } catch (error) {
        if (error instanceof DamagedPart) return undefined;
        throw error;
      }
      next = head.last_id + 1;
      await eventLoop.pause();
    }
    seen += heads.length;
  }
  return [...ids].sort((a, b) => b - a);
}
