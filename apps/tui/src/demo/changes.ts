// Demo server: changes on agents before an error, computed from their histories.
import type { AgentEvent, ChangeWindow, ErrlogChanges, SuspectedChange } from '@quarterdeck/core';
import type { Agent, ErrlogEntry } from '@quarterdeck/sdk';
import type { Fleet } from './fleet-state.ts';

/** Maximum number of agents named with a change. */
const NAMED_MAX = 10;
/** Hosts and characters of the error in the summary of a window. */
const HOSTS_MAX = 3;
const LOG_MAX = 100;
/** Minimum number of occurrences of a spike. */
const SPIKE_FROM = 400;
/** Delay between the start on the first host and the spike, seconds. */
const SPIKE_AFTER_S = 1_560;

/** Start of the error on an agent, and the agent's history. */
interface ErrorBegin {
  readonly agent: Agent;
  readonly atS: number;
}

/** Kinds of changes without a value. */
const MOMENTS: readonly string[] = ['restarted', 'rebooted', 'online', 'offline'];

/** Returns the key of a change: equal changes of several agents have the same key. */
const keyOf = ({ kind, field, to }: AgentEvent): string => (MOMENTS.includes(kind) ? kind : `${kind} ${field} ${to}`);

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Lowest scores of a strong and of a likely cause. */
const SCORES = { strong: 0.6, likely: 0.4 };
const strengthOf = (score: number): SuspectedChange['strength'] => {
  if (score >= SCORES.strong) return 'strong';
  return score >= SCORES.likely ? 'likely' : 'weak';
};

const explained = (change: Omit<SuspectedChange, 'explanation'>, withinS: number): string => {
  const { field, kind, from, to, affected, unaffected } = change;
  const what =
    field === '' || MOMENTS.includes(kind)
      ? `were ${kind}`
      : `changed ${field}${from === '' ? '' : ` from ${from}`}${to === '' ? '' : ` to ${to}`}`;
  const hours = withinS === 3600 ? 'an hour' : `${Math.round(withinS / 60)} minutes`;
  return `${affected.with} of ${affected.of} agents with this error ${what} within ${hours} before it; ${unaffected.with} of ${unaffected.of} others did.`;
};

/** Merges changes that the same agents made into the first of them. */
function merged(changes: readonly SuspectedChange[]): SuspectedChange[] {
  const agentsOf = ({ agents, affected, unaffected }: SuspectedChange) =>
    JSON.stringify([agents.map(({ id }) => id).sort(), affected.with, unaffected.with]);
  return [...Map.groupBy(changes, agentsOf).values()].flatMap(([first, ...others]) =>
    first === undefined
      ? []
      : [{ ...first, with: others.map(({ kind, field, name, from, to }) => ({ kind, field, name, from, to })) }],
  );
}

function changesBefore(
  begun: readonly ErrorBegin[],
  others: readonly Agent[],
  fleet: Fleet,
  withinS: number,
): SuspectedChange[] {
  const within = (agent: Agent, fromS: number, toS: number): readonly AgentEvent[] =>
    (fleet.history.get(agent.id) ?? []).filter(({ time }) => time >= fromS && time <= toS);
  const found = begun.flatMap(({ agent, atS }) =>
    within(agent, atS - withinS, atS).map((event) => ({ agent, event, before: atS - event.time })),
  );
  const [first, last] = [Math.min(...begun.map(({ atS }) => atS)) - withinS, Math.max(...begun.map(({ atS }) => atS))];
  const changes = [...Map.groupBy(found, ({ event }) => keyOf(event))]
    .map(([key, all]): SuspectedChange => {
      const changed = new Map(
        all.map(({ agent, event }) => [agent.id, { id: agent.id, hostname: agent.hostname, time: event.time }]),
      );
      const unaffected = others.filter((agent) =>
        within(agent, first, last).some((event) => keyOf(event) === key),
      ).length;
      const event = all[0]?.event;
      const [ill, well] = [changed.size, unaffected];
      const score = Math.max(0, (ill + 1) / (begun.length + 2) - (well + 1) / (others.length + 2));
      const change = {
        kind: event?.kind ?? 'changed',
        field: event?.field ?? '',
        from: event?.from ?? '',
        to: event?.to ?? '',
        affected: { with: changed.size, of: begun.length },
        unaffected: { with: unaffected, of: others.length },
        name: event?.name ?? '',
        strength: strengthOf(score),
        score,
        change_id: event?.change_id ?? 0,
        url: fleet.changes.find(({ id }) => id === event?.change_id)?.url ?? '',
        has_diff: event?.has_diff ?? false,
        with: [],
        first: Math.min(...all.map((one) => one.event.time)),
        last: Math.max(...all.map((one) => one.event.time)),
        before: median(all.map((one) => one.before)),
        agents: [...changed.values()].slice(0, NAMED_MAX),
      };
      return { ...change, explanation: explained(change, withinS) };
    })
    .sort(
      (a, b) =>
        b.score - a.score ||
        Number(b.kind === 'changed') - Number(a.kind === 'changed') ||
        (a.field < b.field ? -1 : 1),
    );
  return merged(changes);
}

/** Describes a window in a few sentences. */
function summaryOf(log: string, kind: ChangeWindow['kind'], at: readonly ErrorBegin[], best?: SuspectedChange): string {
  const what = `“${log.slice(0, LOG_MAX)}” ${kind === 'first_seen' ? 'began' : 'became more frequent'}`;
  if (at.length === 0) return `${what}.`;
  const names = at.slice(0, HOSTS_MAX).map(({ agent }) => agent.hostname);
  const hosts = `${at.length} ${at.length === 1 ? 'host' : 'hosts'} (${names.join(', ')})`;
  const lines =
    best === undefined || best.strength === 'weak'
      ? ['Nothing stands out.', '']
      : [best.explanation, `A ${best.strength} cause. `];
  return `${what} on ${hosts}.\n${lines.join('\n')}Next: look at ${names[0]}.`;
}

/** Returns the windows of an error: its start and its spike. */
export function changesOf(fleet: Fleet, entry: ErrlogEntry, withinS: number, limit: number): ErrlogChanges {
  const same = fleet.errlog.filter(
    ({ fingerprint, level }) => fingerprint === entry.fingerprint && level === entry.level,
  );
  const begun = new Map<number, ErrorBegin>();
  let unknown = 0;
  for (const { source, first_seen: first, log_time: last } of same) {
    const agent = fleet.agents.find(({ hostname }) => hostname === source);
    const atS = Math.min(first ?? last, begun.get(agent?.id ?? 0)?.atS ?? Number.MAX_SAFE_INTEGER);
    if (agent === undefined) unknown += 1;
    else begun.set(agent.id, { agent, atS });
  }
  const affected = [...begun.values()];
  const others = fleet.agents.filter(({ id, is_deleted: deleted }) => !begun.has(id) && !deleted);
  const window = (
    kind: ChangeWindow['kind'],
    time: number,
    at: readonly ErrorBegin[],
    counts: readonly [number, number],
  ): ChangeWindow => {
    const changes = at.length === 0 ? [] : changesBefore(at, others, fleet, withinS).slice(0, limit);
    return {
      kind,
      time,
      from: Math.min(...at.map(({ atS }) => atS), time) - withinS,
      count: counts[0],
      usual: counts[1],
      affected: at.length,
      unaffected: others.length,
      unknown,
      label: null,
      vitals: [],
      summary: summaryOf(entry.log, kind, at, changes[0]),
      changes,
    };
  };
  const beganAtS = Math.min(entry.first_seen ?? entry.log_time, ...affected.map(({ atS }) => atS));
  const spikeAtS = Math.floor((beganAtS + SPIKE_AFTER_S) / 60) * 60;
  const spikes =
    entry.count < SPIKE_FROM || spikeAtS > entry.log_time
      ? []
      : [
          window(
            'spike',
            spikeAtS,
            affected.map(({ agent }) => ({ agent, atS: spikeAtS })),
            [Math.ceil(entry.count / 9), 4.5],
          ),
        ];
  return { windows: [...spikes, window('first_seen', beganAtS, affected, [3, 0])], complete: true };
}
