// Demo server: error logs, with filters, counts, states and occurrences.
import { type ErrlogState, LEVELS, type LiveErrlogFilter, matchesErrlog } from '@quarterdeck/core';
import type { ErrlogEntry } from '@quarterdeck/sdk';
import { withChange } from '../data/filter.ts';
import { changesOf } from './changes.ts';
import type { Fleet } from './fleet-state.ts';
import { createRandom } from './random.ts';
import type { DemoCall, DemoHandlers } from './respond.ts';
import { byId, page, withRow } from './rows.ts';

type Query = DemoCall['query'];

/** Returns the entries that pass the filters of the list, in its order. */
export function listEntries(entries: readonly ErrlogEntry[], query: Query): ErrlogEntry[] {
  const from = Number(query['start_time'] ?? 0);
  const to = Number(query['end_time'] ?? Number.MAX_SAFE_INTEGER);
  const sort = String(query['sort'] ?? '-log_time');
  const by = sort.replace('-', '') as 'log_time' | 'count' | 'first_seen';
  const sign = sort.startsWith('-') ? -1 : 1;
  return entries
    .filter((entry) => matchesErrlog(entry, query as LiveErrlogFilter))
    .filter(({ log_time: at }) => at >= from && at <= to && query['req_id'] === undefined)
    .sort((a, b) => ((a[by] ?? 0) - (b[by] ?? 0) || a.id - b.id) * sign);
}

/** Distributes the count of a group over its lifetime, the same way every time. */
function histogram(entries: readonly ErrlogEntry[], query: Query, nowS: number) {
  const end = Number(query['end_time'] ?? nowS);
  const start = Number(query['start_time'] ?? end - 86_400);
  const wanted = Number(query['buckets'] ?? 60);
  const step = Math.max(60, Math.ceil((end - start) / wanted / 60) * 60);
  const buckets = Array.from({ length: Math.ceil((end - start) / step) }, (_, index) => ({
    time: start + index * step,
    count: 0,
    levels: LEVELS.map(() => 0),
  }));
  const add = (at: number, level: number, count: number): void => {
    const bucket = buckets[Math.floor((at - start) / step)];
    if (at < start || bucket === undefined) return;
    bucket.count += count;
    bucket.levels[level] = (bucket.levels[level] ?? 0) + count;
  };
  for (const { id, level, count, log_time: last, first_seen: first = last } of entries) {
    const random = createRandom(id);
    const shown = Math.min(count, 60);
    add(last, level, Math.ceil(count / shown));
    // Most groups come in bursts, some continuously.
    const life = Math.max(60, last - first);
    const burst = random.chance(0.3) ? life : random.whole(300, 5_400);
    const begins = last - Math.floor(random.next() * life);
    for (let n = 1; n < shown; n += 1) {
      add(Math.min(last, Math.floor(begins + random.next() ** 1.6 * burst)), level, Math.ceil(count / shown));
    }
  }
  return { start, end, step, buckets };
}

function tally<K>(entries: readonly ErrlogEntry[], key: (entry: ErrlogEntry) => K): [K, number][] {
  const counts = new Map<K, number>();
  for (const entry of entries) counts.set(key(entry), (counts.get(key(entry)) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}

const withoutWindow = (query: Readonly<Record<string, unknown>>): Query =>
  withChange(query, { start_time: undefined, end_time: undefined });

/** Creates the handlers of error logs. */
export function errlogHandlers(fleet: Fleet, now: () => number): NonNullable<DemoHandlers['errlog']> {
  const nowS = (): number => Math.floor(now() / 1000);
  const change = (entry: ErrlogEntry, state: ErrlogState, until: string): void => {
    fleet.errlog = withRow(fleet.errlog, {
      ...entry,
      state,
      state_since: nowS(),
      until: state === 'muted' ? until : '',
    });
  };
  return {
    list: ({ query }) => page(listEntries(fleet.errlog, query), query),
    get: (call) => byId(fleet.errlog, call),
    histogram: ({ query }) => histogram(listEntries(fleet.errlog, withoutWindow(query)), query, nowS()),
    facets({ query }) {
      const entries = listEntries(fleet.errlog, query);
      return {
        levels: tally(entries, ({ level }) => level)
          .map(([level, count]) => ({ level, count }))
          .sort((a, b) => a.level - b.level),
        states: tally(entries, ({ state }) => state).map(([state, count]) => ({ state, count })),
        sources: tally(entries, ({ src }) => src).map(([src, count]) => ({
          src,
          name: entries.find((entry) => entry.src === src)?.source ?? '',
          node_type: 2,
          node_id: src,
          count,
        })),
        apps: tally(entries, ({ app_id: app }) => app).map(([app_id, count]) => ({ app_id, count })),
        services: tally(entries, ({ service = '' }) => service)
          .filter(([service]) => service !== '')
          .map(([service, count]) => ({ service, count })),
      };
    },
    bulk({ body }) {
      const ids = body['ids'] as number[] | undefined;
      const matched =
        ids === undefined
          ? listEntries(fleet.errlog, body['filter'] as Query)
          : fleet.errlog.filter(({ id }) => ids.includes(id));
      if (body['dry_run'] === true) return { matched: matched.length, done: 0, failed: [] };
      for (const entry of matched) change(entry, body['state'] as ErrlogState, String(body['until'] ?? 'forever'));
      return { matched: matched.length, done: matched.length, failed: [] };
    },
    update(call) {
      const entry = byId(fleet.errlog, call);
      const { note, state, until = 'forever' } = call.body as { note?: string; state?: ErrlogState; until?: string };
      if (note !== undefined) fleet.errlog = withRow(fleet.errlog, { ...entry, note });
      if (state !== undefined) change(byId(fleet.errlog, call), state, until);
      return byId(fleet.errlog, call);
    },
    occurrences(call) {
      const entry = byId(fleet.errlog, call);
      const random = createRandom(entry.id);
      let at = entry.log_time;
      let left = entry.count;
      const rows = Array.from({ length: Math.min(entry.count, 24) }, () => {
        const time = at;
        const count = random.chance(0.8) ? 1 : random.whole(2, 40);
        const shown = Math.min(left, count);
        left -= shown;
        at -= random.whole(1, Math.max(2, Math.ceil((entry.log_time - (entry.first_seen ?? 0)) / 30)));
        return {
          time,
          count: shown,
          req_id: Array.from({ length: 3 }, () => random.whole(0, 0xff_ff_ff_ff).toString(16).padStart(8, '0')).join(
            '',
          ),
          app_id: entry.app_id ?? 0,
          log: entry.log,
          fields: fieldsOf(entry.log),
        };
      });
      return page(
        rows.filter(({ count }) => count > 0),
        call.query,
      );
    },
    changes: (call) =>
      changesOf(
        fleet,
        byId(fleet.errlog, call),
        Number(call.query['within'] ?? 3600),
        Number(call.query['limit'] ?? 20),
      ),
    sources: ({ query }) =>
      page(
        tally(fleet.errlog, ({ src }) => src)
          .map(([src, groups]) => {
            const name = fleet.errlog.find((entry) => entry.src === src)?.source ?? '';
            return {
              id: src,
              node_type: 2,
              node_id: src,
              name,
              address: `10.20.4.${src + 10}`,
              created: nowS() - 30 * 86_400,
              groups,
              agent_id: fleet.agents.find(({ hostname }) => hostname === name)?.id ?? 0,
            };
          })
          .filter(({ name }) => name.includes(String(query['q'] ?? '')))
          .filter(({ agent_id: id }) => query['agent_id'] === undefined || id === query['agent_id']),
        query,
      ),
  };
}

/** Parts of an nginx line that carry their name. */
const fieldsOf = (log: string): Record<string, string> =>
  Object.fromEntries(
    [...log.matchAll(/, (client|server|request|upstream|tenant): ("[^"]*"|[^,]+)/g)].map((match) => [
      match[1] ?? '',
      (match[2] ?? '').replaceAll('"', ''),
    ]),
  );
