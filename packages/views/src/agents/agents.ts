// Requests about agents.

import {
  type Agent,
  type AgentBulk as AgentBulkRequest,
  type AgentChange,
  type AgentEvent,
  type AgentTotals,
  type BulkResult,
  type Client,
  type ErrlogEntry,
  type ErrlogSource,
  type OperationDraft,
  type OperationKind,
  paginate,
} from '@quarterdeck/sdk';
import { withChange } from '../filters/with-change.ts';
import type { Block, ReadBlock } from '../reads/row-window.ts';
import { plural } from '../text/format.ts';
import { versionText } from '../text/version.ts';
import { type AgentFilter, type AgentOrder, partsOf } from './agent-filter.ts';
import { findSourcesByName, sortByCount } from './sources.ts';

/** Page size for reading all agents. */
const PAGE_MAX = 10_000;
/** Maximum number of history entries and of error logs shown of one agent. */
const HISTORY_MAX = 200;
const LOGS_MAX = 50;
/** Maximum number of sources of one agent: its programs. */
const SOURCES_MAX = 8;

/** The page of a list that contains a block; pages have numbers only. */
function pageAround({ from, to }: Block): { readonly _page: number; readonly _pagesize: number } {
  if (to <= from) return { _page: 1, _pagesize: 0 };
  let size = to - from;
  while (Math.floor(from / size) !== Math.floor((to - 1) / size)) size += 1;
  return { _page: Math.floor(from / size) + 1, _pagesize: size };
}

/**
 * Returns the share of a block that each part of a list has, if the parts come one after the other. A part may have
 * grown since it was counted, so its end does not limit its share.
 */
export function splitBlock({ from, to }: Block, counts: readonly number[]): Block[] {
  let before = 0;
  return counts.map((count) => {
    const range = { from: Math.max(0, from - before), to: to - before };
    before += count;
    return range.to > range.from && range.from < Math.max(1, count) ? range : { from: 0, to: 0 };
  });
}

/** Returns a function that reads blocks of the agents of a filter. It keeps the counts of the parts of the list. */
export function agentBlocks(client: Client, filter: AgentFilter, order: AgentOrder): ReadBlock<Agent> {
  const parts = partsOf(filter, order);
  let counts: readonly number[] | null = null;
  return async (block, signal) => {
    // The first read needs no counts: it begins with the first part.
    const ranges = counts === null ? parts.map(() => block) : splitBlock(block, counts);
    const answers = await Promise.all(
      parts.map(async (part, index) => {
        const range = ranges[index] ?? block;
        const page = pageAround(range);
        const query = { ...part.filter, sort: part.sort, ...page, detail: 1 } as const;
        const { data, meta } = await client.agent.list.page({ query }, { signal });
        const skipped = range.from - (page._page - 1) * page._pagesize;
        return { rows: data.slice(skipped, skipped + range.to - range.from), count: meta.count };
      }),
    );
    counts = answers.map(({ count }) => count);
    // An agent whose state changes between two parts appears in both.
    const rows = new Map(answers.flatMap((answer) => answer.rows).map((agent) => [agent.id, agent]));
    return {
      data: [...rows.values()].slice(0, block.to - block.from),
      meta: { count: counts.reduce((sum, count) => sum + count, 0) },
    };
  };
}

/** Reads all agents of a filter, page by page. */
export async function allAgents(client: Client, filter: AgentFilter): Promise<Agent[]> {
  const rows = new Map<number, Agent>();
  const query = { ...filter, detail: 1 } as const;
  for await (const agent of paginate(client.agent.list, { query }, { pageSize: PAGE_MAX })) rows.set(agent.id, agent);
  return [...rows.values()];
}

/** Reads the agents of a filter by name, one page at most. */
export const firstAgents = (client: Client, filter: AgentFilter): Promise<readonly Agent[]> =>
  client.agent.list({ query: { ...filter, sort: 'hostname', _pagesize: PAGE_MAX, detail: 1 } });

/** Counts of the agents of a filter. */
export const agentTotals = (client: Client, filter: AgentFilter, signal?: AbortSignal): Promise<AgentTotals> =>
  client.agent.totals({ query: filter }, signal === undefined ? {} : { signal });

/** Columns that the server counts. */
const COUNTED: Readonly<Record<string, 'envs' | 'kernels' | 'packages' | 'labels'>> = {
  env: 'envs',
  kernel: 'kernels',
  version: 'packages',
  labels: 'labels',
};

function countedValues(totals: AgentTotals, counted: (typeof COUNTED)[string] | undefined) {
  if (counted === undefined) return totals.states.map(({ state, count }) => ({ value: state, count }));
  if (counted !== 'packages') return totals[counted];
  return totals.packages.map(({ value, count }) => ({ value: versionText(Number(value)), count }));
}

/**
 * Counts the values of a column over all agents that pass the filter; undefined if the server does not count the
 * column.
 */
export function agentValueCounts(
  client: Client,
  filter: AgentFilter,
  column: string,
): Promise<{ counted: { value: string; count: number }[]; of: string }> | undefined {
  const counted = COUNTED[column];
  if (column !== 'state' && counted === undefined) return undefined;
  return agentTotals(client, filter).then((totals) => ({
    counted: countedValues(totals, counted),
    of: plural(totals.count, 'agent'),
  }));
}

/** Counts agents. With `everything`, each facet is counted without its own choice; otherwise only the states are. */
export async function agentFacets(
  client: Client,
  filter: AgentFilter,
  everything: boolean,
  signal: AbortSignal,
): Promise<AgentTotals> {
  const without = (name: keyof AgentFilter, wanted = everything): Promise<AgentTotals> | undefined =>
    filter[name] === undefined || !wanted
      ? undefined
      : agentTotals(client, withChange(filter, { [name]: undefined }), signal);
  const [all, states, envs, kernels] = await Promise.all([
    agentTotals(client, filter, signal),
    without('state', true),
    without('env'),
    without('kernel'),
  ]);
  return {
    ...all,
    states: (states ?? all).states,
    envs: (envs ?? all).envs,
    kernels: (kernels ?? all).kernels,
  };
}

/** A bulk change without its dry-run flag. */
export type AgentBulk = Omit<AgentBulkRequest, 'dry_run'>;

/** Runs several bulk changes, or previews them. Each part is about different agents. */
export async function bulkAgents(client: Client, parts: readonly AgentBulk[], dryRun: boolean): Promise<BulkResult> {
  const sum: BulkResult = { matched: 0, done: 0, failed: [] };
  for (const part of parts) {
    const { matched, done, failed } = await client.agent.bulk({ body: { ...part, dry_run: dryRun } });
    sum.matched += matched;
    sum.done += done;
    sum.failed.push(...failed);
  }
  return sum;
}

export const updateAgent = (client: Client, id: number, body: AgentChange): Promise<Agent> =>
  client.agent.update({ params: { id }, body });

/** Requests an operation of one agent. */
export const operateAgent = (
  client: Client,
  body: { readonly agent_id: number; readonly kind: OperationKind } & Partial<OperationDraft>,
) => client.agentOperation.create({ body });

/** Reads the history of an agent up to a time, Unix seconds; newest first. */
export async function agentHistory(
  client: Client,
  id: number,
  until: number,
  signal: AbortSignal,
): Promise<readonly AgentEvent[]> {
  const { data } = await client.agent.events({ params: { id }, query: { page_size: HISTORY_MAX } }, { signal });
  return data.filter(({ time }) => time <= until);
}

/** Reads an agent as it was at a time, Unix seconds. */
export const agentAt = (client: Client, id: number, at: number): Promise<Agent> =>
  client.agent.get({ params: { id }, query: { at, detail: 1, include_deleted: true } });

/** Changes of configuration to choose from at most. */
const DIFFS_MAX = 200;

/** Reads the newest changes of configuration of an agent whose changed lines are stored. */
export async function agentDiffs(client: Client, id: number): Promise<readonly AgentEvent[]> {
  const { data } = await client.agent.events({ params: { id }, query: { page_size: DIFFS_MAX, kind: 'config' } });
  return data.filter(({ has_diff }) => has_diff);
}

/** Reads the changed lines of an entry of an agent's history. */
export const agentDiff = async (client: Client, id: number, event: number): Promise<string> =>
  (await client.agent.diff({ params: { id, event } })).diff;

/**
 * Finds the sources of an agent, the busiest first: those it sends with its own secret. If there are none, those that
 * have its host's name, as for syslog.
 */
export async function agentSources(
  client: Client,
  { id, hostname }: Pick<Agent, 'id' | 'hostname'>,
  signal?: AbortSignal,
): Promise<readonly ErrlogSource[]> {
  const options = signal === undefined ? {} : { signal };
  const own = await client.errlog.sources({ query: { agent_id: id, page_size: SOURCES_MAX } }, options);
  let found: readonly ErrlogSource[] = own.data;
  if (found.length === 0 && hostname !== '') {
    const named = await findSourcesByName(client, hostname, signal);
    found = named.filter(({ agent_id: other }) => other === 0);
  }
  return sortByCount(found);
}

/** Error logs of an agent's host. */
export interface AgentLogs {
  readonly sources: readonly ErrlogSource[];
  /** Time of the latest one. */
  readonly rows: readonly ErrlogEntry[];
}

/** Reads the latest error logs of an agent, up to a time in Unix seconds if there is one. */
export async function agentLogs(
  client: Client,
  agent: Pick<Agent, 'id' | 'hostname'>,
  until: number | undefined,
  signal: AbortSignal,
): Promise<AgentLogs> {
  const sources = await agentSources(client, agent, signal);
  const query = { page_size: LOGS_MAX, detail: 1, ...(until === undefined ? {} : { end_time: until }) };
  const lists = await Promise.all(
    sources.map(({ id }) => client.errlog.list({ query: { ...query, src: id } }, { signal })),
  );
  const rows = lists.flatMap(({ data }) => data).sort((a, b) => b.log_time - a.log_time);
  return { sources, rows: rows.slice(0, LOGS_MAX) };
}
