// Demo: error logs, with filters, counts, states, merges and splits.

import { type ErrlogFilter, type ErrlogSort, matchesErrlog } from '@quarterdeck/core';
import { compileFilter, hasExpression, loadExpressions, parseFilter } from '@quarterdeck/core/filter';
import type { ErrlogEntry, ErrlogFacets, ErrlogSource, ErrlogState } from '@quarterdeck/sdk';
import type { CallOf, Fake } from '@quarterdeck/sdk/testing';
import { newestLineOf } from '@quarterdeck/views/errlog';
import { STEPS } from '../components/charts/axis.ts';
import { changesOf } from './changes.ts';
import type { Fleet } from './fleet-state.ts';
import { fieldsOf } from './line-rows.ts';
import { createRandom } from './random.ts';
import { byId, emptyBuckets, tally, withRow } from './rows.ts';

const errorOf = ({ id, fingerprint, level, app_id: app = 0 }: ErrlogEntry): string =>
  fingerprint === undefined ? String(id) : `${fingerprint} ${level} ${app}`;

const sumOf = (values: Iterable<number>): number => [...values].reduce((sum, value) => sum + value, 0);

/** Rolls groups up, in the order of their newest. */
export const rolledUp = (entries: readonly ErrlogEntry[]): ErrlogEntry[] =>
  [...Map.groupBy(entries, errorOf).values()].flatMap((same): ErrlogEntry[] => {
    const newest = same.reduce((a, b) => (b.log_time > a.log_time ? b : a));
    const inRange = same.flatMap(({ count_in_range: n }) => n ?? []);
    return [
      {
        ...newest,
        count: sumOf(same.map(({ count }) => count)),
        first_seen: Math.min(...same.map((entry) => entry.first_seen ?? entry.log_time)),
        sources: same.length,
        ...(inRange.length === 0 ? {} : { count_in_range: sumOf(inRange) }),
      },
    ];
  });

/** Loads expressions if the text of a filter has one. */
async function prepareFilter(text: string): Promise<void> {
  if (hasExpression(parseFilter(text))) await loadExpressions();
}

/** Compiles a prepared filter to a test of the newest lines of entries. */
export function entryTest(text: string, nowS: number): (entry: ErrlogEntry) => boolean {
  const test = compileFilter(parseFilter(text), nowS);
  return (entry) => test({ ...newestLineOf(entry), host: entry.source ?? '', fields: () => fieldsOf(entry.log) });
}

type Query = ErrlogFilter & { readonly sort?: ErrlogSort | undefined; readonly rollup?: boolean | undefined };

/** Distributes the count of a group over its lifetime, the same way every time. The newest part comes first. */
function momentsOf({ id, count, log_time: last, first_seen: first = last }: ErrlogEntry): [at: number, n: number][] {
  const random = createRandom(id);
  const shown = Math.min(count, 60);
  const each = Math.ceil(count / shown);
  // Most groups come in bursts, some continuously.
  const life = Math.max(60, last - first);
  const burst = random.chance(0.3) ? life : random.whole(300, 5_400);
  const begins = last - Math.floor(random.next() * life);
  return Array.from({ length: shown }, (_, n) => [
    n === 0 ? last : Math.min(last, Math.floor(begins + random.next() ** 1.6 * burst)),
    each,
  ]);
}

/** An entry with its occurrences in a span; undefined without any. */
function inSpan(entry: ErrlogEntry, from: number, to: number): ErrlogEntry | undefined {
  const within = momentsOf(entry).filter(([at]) => at >= from && at <= to);
  if (within.length === 0) return undefined;
  const count = Math.min(
    entry.count,
    within.reduce((sum, [, n]) => sum + n, 0),
  );
  return {
    ...entry,
    count_in_range: count,
    log_time_in_range: Math.max(...within.map(([at]) => at)),
    log_in_range: entry.log,
  };
}

/** Returns the entries that pass the filters of the list, in its order. */
function listEntries(entries: readonly ErrlogEntry[], query: Query, nowS: number): ErrlogEntry[] {
  const { start_time: from, end_time: to, sort = '-log_time' } = query;
  const hasSpan = from !== undefined || to !== undefined;
  const by = sort.replace('-', '') as 'log_time' | 'count' | 'first_seen';
  const sign = sort.startsWith('-') ? -1 : 1;
  const value = (entry: ErrlogEntry): number =>
    (by === 'log_time' ? entry.log_time_in_range : undefined) ?? entry[by] ?? 0;
  const passes = entryTest(query.filter ?? '', nowS);
  const found = entries
    .filter((entry) => matchesErrlog(entry, query) && query.req_id === undefined && passes(entry))
    .flatMap((entry) => (hasSpan ? (inSpan(entry, from ?? 0, to ?? Number.MAX_SAFE_INTEGER) ?? []) : entry));
  return (query.rollup === true ? rolledUp(found) : found).sort((a, b) => (value(a) - value(b) || a.id - b.id) * sign);
}

/** Counts over time and level. */
function histogram(entries: readonly ErrlogEntry[], query: CallOf<'errlog.histogram'>['query'], nowS: number) {
  const { end_time: to = nowS, start_time: from = to - 86_400, buckets: wanted } = query;
  const edgesOf = (step: number) => ({ start: Math.floor(from / step) * step, end: Math.ceil((to + 1) / step) * step });
  const fits = (step: number): boolean => (edgesOf(step).end - edgesOf(step).start) / step <= wanted;
  const step = STEPS.find(fits) ?? Math.ceil((to - from) / wanted / 60) * 60;
  const { start, end } = edgesOf(step);
  const { buckets, add } = emptyBuckets(start, end, step);
  for (const entry of entries) {
    for (const [at, n] of momentsOf(entry)) if (at >= from && at <= to) add(at, entry.level, n);
  }
  return { start, end, step, buckets, meta: { complete: true } };
}

function facetsOf(entries: readonly ErrlogEntry[]): ErrlogFacets {
  const nameOf = (src: number): string => entries.find((entry) => entry.src === src)?.source ?? '';
  return {
    levels: tally(entries.map(({ level }) => level))
      .map(([level, count]) => ({ level, count }))
      .sort((a, b) => a.level - b.level),
    states: tally(entries.map(({ state = 'new' }) => state)).map(([state, count]) => ({ state, count })),
    sources: tally(entries.map(({ src }) => src)).map(([src, count]) => ({
      src,
      name: nameOf(src),
      node_type: 2,
      node_id: src,
      count,
    })),
    apps: tally(entries.map(({ app_id = 0 }) => app_id)).map(([app_id, count]) => ({ app_id, count })),
    services: tally(entries.map(({ service = '' }) => service))
      .filter(([service]) => service !== '')
      .map(([service, count]) => ({ service, count })),
    meta: { complete: true },
  };
}

function sourcesOf({ errlog, agents }: Fleet, nowS: number): ErrlogSource[] {
  return tally(errlog.map(({ src }) => src)).map(([src, groups]) => {
    const name = errlog.find((entry) => entry.src === src)?.source ?? '';
    return {
      id: src,
      node_type: 2,
      node_id: src,
      name,
      address: `10.20.4.${src + 10}`,
      created: nowS - 30 * 86_400,
      groups,
      agent_id: agents.find(({ hostname }) => hostname === name)?.id ?? 0,
    };
  });
}

export function answerErrlog({ on }: Fake, fleet: Fleet, now: () => number): void {
  const nowS = (): number => Math.floor(now() / 1000);
  const change = (entry: ErrlogEntry, state: ErrlogState, until: string): void => {
    const changed = { state, state_since: nowS(), until: state === 'muted' ? until : '' };
    fleet.errlog = withRow(fleet.errlog, { ...entry, ...changed });
  };
  const find = async (query: Query): Promise<ErrlogEntry[]> => {
    await prepareFilter(query.filter ?? '');
    return listEntries(fleet.errlog, query, nowS());
  };
  on('errlog.list', ({ query }) => find(query));
  on('errlog.export', ({ query }) => find(query));
  on('errlog.get', (call) => byId(fleet.errlog, call));
  on('errlog.histogram', async ({ query }) => {
    const anyTime = { ...query, start_time: undefined, end_time: undefined };
    return histogram(await find(anyTime), query, nowS());
  });
  on('errlog.facets', async ({ query }) => facetsOf(await find(query)));
  on('errlog.bulk', async ({ body: { ids, filter = {}, state, until = 'forever', dry_run: isDry } }) => {
    const matched = ids === undefined ? await find(filter) : fleet.errlog.filter(({ id }) => ids.includes(id));
    if (!isDry) for (const entry of matched) change(entry, state, until);
    return { matched: matched.length, done: isDry ? 0 : matched.length, failed: [] };
  });
  on('errlog.update', (call) => {
    const entry = byId(fleet.errlog, call);
    const { note, state, until = 'forever' } = call.body;
    if (note !== undefined) fleet.errlog = withRow(fleet.errlog, { ...entry, note });
    if (state !== undefined) change(byId(fleet.errlog, call), state, until);
    return byId(fleet.errlog, call);
  });
  on('errlog.changes', (call) => changesOf(fleet, byId(fleet.errlog, call), call.query.within, call.query.limit));
  on('errlog.sources', ({ query: { q = '', agent_id: agent } }) =>
    sourcesOf(fleet, nowS()).filter(
      ({ name, agent_id: id }) => name.includes(q) && (agent === undefined || id === agent),
    ),
  );
}

/** An error that was merged, with the ids of its lines. */
interface Merged {
  readonly entry: ErrlogEntry;
  readonly lines: ReadonlySet<string>;
}

export function answerGrouping({ on }: Fake, fleet: Fleet): void {
  const merged: Merged[] = [];
  const move = (lines: ReadonlySet<string>, to: number): void => {
    fleet.lines = fleet.lines.map((line) => (lines.has(line.id) ? { ...line, group: to } : line));
  };
  const put = (entry: ErrlogEntry, gone?: number): void => {
    const others = fleet.errlog.filter(({ id }) => id !== entry.id && id !== gone);
    fleet.errlog = [...others, entry].sort((a, b) => b.id - a.id);
  };
  on('errlog.merge', ({ body: { ids, dry_run: isDry } }) => {
    const [into, ...others] = ids.map((id) => byId(fleet.errlog, { params: { id } })) as [
      ErrlogEntry,
      ...ErrlogEntry[],
    ];
    if (!isDry) {
      for (const entry of others) {
        const lines = new Set(fleet.lines.filter(({ group }) => group === entry.id).map(({ id }) => id));
        merged.push({ entry, lines });
        move(lines, into.id);
        const { count } = byId(fleet.errlog, { params: { id: into.id } });
        put({ ...into, count: count + entry.count }, entry.id);
      }
    }
    return { matched: ids.length, group: into.id };
  });
  on('errlog.split', ({ params, body: { lines, dry_run: isDry } }) => {
    const from = byId(fleet.errlog, { params });
    const known = merged.find((one) => lines.some((id) => one.lines.has(String(id))));
    const chosen = known?.lines ?? new Set(lines.map(String));
    const [line] = fleet.lines.filter(({ id }) => chosen.has(id));
    const newest = Math.max(...fleet.errlog.map(({ id }) => id));
    const entry = known?.entry ?? { ...from, id: newest + 1, count: chosen.size, log: line?.log ?? from.log };
    if (!isDry) {
      put({ ...from, count: Math.max(1, from.count - entry.count) });
      put(entry);
      move(chosen, entry.id);
    }
    return { matched: entry.count, group: from.id, ...(isDry ? {} : { new_group: entry.id }) };
  });
}
