// What the agents of a filter are made of, counted.
import { setImmediate as nextRound } from 'node:timers/promises';
import { AGENT_TOTALS_MAX, type AgentFilter, type AgentState, type AgentTotals } from '@quarterdeck/core';
import type { Database } from '@quarterdeck/core/db';
import { cached } from '../../sql/cached.ts';
import { agentWhere } from './agent.filter.ts';
import { CLONED_SQL, ONLINE_SQL, STATE_SQL, stateParams } from './agent.state.ts';
import type { Moment } from './listening-window.ts';

/** Agents that are alike in all that is counted. Flags are 0 or 1. */
interface Kind {
  readonly n: number;
  readonly online: number;
  readonly bad_kernel: number;
  readonly maintenance: number;
  readonly cloned: number;
  readonly state: AgentState;
  readonly env: string;
  readonly kernel: string;
  readonly package_version: number;
  readonly system_name: string;
}

const flag = (condition: string) => `CASE WHEN ${condition} THEN 1 ELSE 0 END`;
const KIND = `${flag(ONLINE_SQL)} AS online, ${flag(CLONED_SQL)} AS cloned, ${STATE_SQL} AS state, bad_kernel, maintenance, env,
  kernel, package_version, system_name`;

/** Counts agents: one look at each, so that all figures but those of labels are of the same moment. */
export async function countKinds(
  { dialect, read: { sql } }: Database,
  filter: AgentFilter,
  moment: Moment,
): Promise<AgentTotals> {
  const where = agentWhere(dialect, filter, moment);
  const kinds = await sql.all<Kind>(
    cached(`SELECT count(*) AS n, ${KIND} FROM agent a${where.text} GROUP BY 2, 3, 4, 5, 6, 7, 8, 9, 10`),
    ...[moment.nowMs, moment.nowMs, ...stateParams(moment), ...where.values],
  );
  // Of ten thousand agents either look takes its time; others get a turn in between.
  await nextRound();
  const labels = await sql.all<Counted>(
    cached(
      `SELECT l.name || CASE WHEN l.value = '' THEN '' ELSE '=' || l.value END AS value, count(*) AS count
         FROM agent_label l JOIN agent a ON a.id = l.agent_id${where.text}
         GROUP BY l.name, l.value ORDER BY count(*) DESC LIMIT ?`,
    ),
    ...where.values,
    AGENT_TOTALS_MAX,
  );
  const having = (flag: 'online' | 'bad_kernel' | 'maintenance' | 'cloned') =>
    kinds.reduce((sum, kind) => sum + (kind[flag] === 1 ? kind.n : 0), 0);
  return {
    count: kinds.reduce((sum, { n }) => sum + n, 0),
    online: having('online'),
    bad_kernel: having('bad_kernel'),
    maintenance: having('maintenance'),
    cloned: having('cloned'),
    states: counted(kinds, ({ state }) => state).map(({ value, count }) => ({ state: value, count })),
    envs: counted(kinds, ({ env }) => env),
    kernels: counted(kinds, ({ kernel }) => kernel),
    packages: counted(kinds, ({ package_version }) => String(package_version)),
    systems: counted(kinds, ({ system_name }) => system_name),
    labels: labels.toSorted(moreFirst),
  };
}

interface Counted<Value extends string = string> {
  readonly value: Value;
  readonly count: number;
}

const moreFirst = (one: Counted, other: Counted) =>
  other.count - one.count || (one.value < other.value ? -1 : one.value > other.value ? 1 : 0);

/** How many agents there are of each value, the most frequent first. */
function counted<Value extends string>(kinds: readonly Kind[], kindOf: (kind: Kind) => Value): Counted<Value>[] {
  const counts = new Map<Value, number>();
  for (const kind of kinds) counts.set(kindOf(kind), (counts.get(kindOf(kind)) ?? 0) + kind.n);
  const found = [...counts].map(([value, count]) => ({ value, count }));
  return found.sort(moreFirst).slice(0, AGENT_TOTALS_MAX);
}
