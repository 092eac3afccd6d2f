// Where a page far back in the list of all agents that are not deleted begins. It is found in indexes alone: a condition
// on the rows would read each of them that comes before the page.
import { type Sql, statement } from '@quarterdeck/core/db';

/** How many agents there are, and how many of them are deleted. */
export interface AgentCount {
  readonly all: number;
  readonly deleted: number;
}

/** An agent's place in the order in which they came. */
interface Place {
  readonly created_ms: number;
  readonly id: number;
}

/** Up to here a page is found as quickly by leaving out what comes before it. */
const NEAR = 200;
/** To pass so many agents costs less than to look where a deleted one is. */
const PASSED_FOR_ONE_DELETED = 4;

const COUNT = statement(
  'SELECT (SELECT count(*) FROM agent) AS all_n, (SELECT count(*) FROM agent WHERE deleted_ms > 0) AS deleted',
);

const inOrder = (condition: string) => ({
  oldestFirst: statement(`SELECT created_ms, id FROM agent ${condition} ORDER BY created_ms, id LIMIT ? OFFSET ?`),
  newestFirst: statement(
    `SELECT created_ms, id FROM agent ${condition} ORDER BY created_ms DESC, id DESC LIMIT ? OFFSET ?`,
  ),
});
const ALL = inOrder('');
const DELETED = inOrder('WHERE deleted_ms > 0');
const PRESENT = inOrder('WHERE id NOT IN (SELECT id FROM agent WHERE deleted_ms > 0)');

/** Counts agents in indexes. */
export async function countAgents(sql: Sql): Promise<AgentCount> {
  const { all_n: all, deleted } = (await sql.get<{ all_n: number; deleted: number }>(COUNT)) ?? {
    all_n: 0,
    deleted: 0,
  };
  return { all, deleted };
}

/**
 * The agent with which a page begins that leaves out `offset` of those that are not deleted, counted from the nearer end;
 * undefined where it is not far, or agents came or went meanwhile.
 */
export async function placeAt(
  sql: Sql,
  isNewestFirst: boolean,
  offset: number,
  { all, deleted }: AgentCount,
): Promise<Place | undefined> {
  if (offset <= NEAR) return undefined;
  const isNearEnd = offset > (all - deleted) / 2;
  const from = isNewestFirst === isNearEnd ? 'oldestFirst' : 'newestFirst';
  const before = isNearEnd ? all - deleted - 1 - offset : offset;
  if (deleted * PASSED_FOR_ONE_DELETED > before) return sql.get<Place>(PRESENT[from], 1, before);
  const gone = deleted === 0 ? [] : await sql.all<Place>(DELETED[from], deleted, 0);
  const sign = from === 'oldestFirst' ? 1 : -1;
  // With each deleted agent that is before the place, the place is one further on, where there may be more of them.
  for (let passed = 0; ; ) {
    const place = await sql.get<Place>(ALL[from], 1, before + passed);
    if (place === undefined) return undefined;
    const isBehind = (one: Place) => sign * (one.created_ms - place.created_ms || one.id - place.id) > 0;
    const behind = gone.findIndex(isBehind);
    const found = behind === -1 ? gone.length : behind;
    if (found <= passed) return place;
    passed = found;
  }
}
