// Demo server: agents, with filters, counts, single and bulk changes, and histories.
import type { AgentEvent, AgentState, AgentTotals, LabelFilter } from '@quarterdeck/core';
import type { Agent } from '@quarterdeck/sdk';
import { addHistoryEntry, DIFF } from './agent-story.ts';
import type { Fleet } from './fleet-state.ts';
import { type DemoCall, type DemoHandlers, DemoRefusal } from './respond.ts';
import { byId, nextId, page, withoutRow, withRow } from './rows.ts';

type Query = DemoCall['query'];

const stateOf = ({ state, online, is_deleted }: Agent): AgentState =>
  state ?? (is_deleted ? 'deleted' : online ? 'online' : 'offline');

const labelsOf = ({ labels = {} }: Agent): string[] =>
  Object.entries(labels).map(([name, value]) => `${name}=${value}`);

const hasLabel = ({ labels = {} }: Agent, { name, value }: LabelFilter): boolean =>
  labels[name] !== undefined && (value === undefined || labels[name] === value);

/** Returns the agents that pass the filters of the list. */
export function filterAgents(agents: readonly Agent[], query: Query): Agent[] {
  const states = query['state'] as readonly AgentState[] | undefined;
  const text = (query['q'] as string | undefined)?.toLowerCase();
  const labels = (query['label'] as readonly LabelFilter[] | undefined) ?? [];
  const flag = (name: 'bad_kernel' | 'maintenance' | 'cloned' | 'online') => (agent: Agent) =>
    query[name] === undefined || (agent[name] === true) === query[name];
  const tests: ((agent: Agent) => boolean)[] = [
    (agent) =>
      query['include_deleted'] === true || states?.includes('deleted') === true || stateOf(agent) !== 'deleted',
    (agent) => states === undefined || states.includes(stateOf(agent)),
    (agent) => query['env'] === undefined || agent.env === query['env'],
    (agent) => query['kernel'] === undefined || agent.system_version.kernel === query['kernel'],
    (agent) => labels.every((label) => hasLabel(agent, label)),
    (agent) =>
      text === undefined ||
      [agent.hostname, agent.node_id, agent.ip, agent.note, ...labelsOf(agent)].some((one) =>
        one.toLowerCase().includes(text),
      ),
    flag('bad_kernel'),
    flag('maintenance'),
    flag('cloned'),
    flag('online'),
  ];
  return agents.filter((agent) => tests.every((test) => test(agent)));
}

const KEYS: Readonly<Record<string, (agent: Agent) => string | number>> = {
  created: ({ created }) => created,
  hostname: ({ hostname }) => hostname,
  last_reported: ({ last_reported }) => last_reported,
  state_since: ({ state_since = 0 }) => state_since,
  kernel: ({ system_version }) => system_version.kernel,
  package: ({ package: { version } }) => version,
};

function sortAgents(agents: readonly Agent[], sort: string): Agent[] {
  const key = KEYS[sort.replace('-', '')] ?? (() => 0);
  const sign = sort.startsWith('-') ? -1 : 1;
  return agents.toSorted((a, b) => {
    const [x, y] = [key(a), key(b)];
    return sign * (x < y ? -1 : x > y ? 1 : a.id - b.id);
  });
}

const counted = (values: Iterable<string>): { value: string; count: number }[] =>
  [...Map.groupBy(values, (value) => value)]
    .map(([value, all]) => ({ value, count: all.length }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));

function totalsOf(agents: readonly Agent[]): AgentTotals {
  const having = (test: (agent: Agent) => boolean): number => agents.filter(test).length;
  return {
    count: agents.length,
    online: having(({ online }) => online),
    bad_kernel: having(({ bad_kernel }) => bad_kernel),
    maintenance: having(({ maintenance }) => maintenance === true),
    cloned: having(({ cloned }) => cloned === true),
    states: counted(agents.map(stateOf)).map(({ value, count }) => ({ state: value as AgentState, count })),
    envs: counted(agents.map(({ env }) => env)),
    kernels: counted(agents.map(({ system_version }) => system_version.kernel)),
    packages: counted(agents.map(({ package: { version } }) => String(version))),
    systems: counted(agents.map(({ system_name }) => system_name)),
    labels: counted(agents.flatMap(labelsOf)),
  };
}

/** Creates the handlers of agents. */
export function agentHandlers(fleet: Fleet, now: () => number): NonNullable<DemoHandlers['agent']> {
  const nowS = (): number => Math.floor(now() / 1000);
  const put = (agent: Agent): Agent => {
    fleet.agents = withRow(fleet.agents, agent);
    return agent;
  };
  const KINDS: Readonly<Record<string, AgentEvent['kind']>> = {
    note: 'note',
    labels: 'labels',
    maintenance: 'maintenance',
  };
  const update = (agent: Agent, body: DemoCall['body']): Agent => {
    const fields = ['note', 'labels', 'catch_transient_event', 'autorun_tools', 'maintenance'] as const;
    const changes = fields.filter((name) => body[name] !== undefined);
    for (const field of changes) {
      const [from, to] = [agent[field], body[field]].map((value) =>
        typeof value === 'string' ? value : JSON.stringify(value),
      );
      addHistoryEntry(fleet, agent.id, KINDS[field] ?? 'settings', nowS(), {
        field,
        from: from ?? '',
        to: to ?? '',
        actor: 'admin',
      });
    }
    return put({ ...agent, ...Object.fromEntries(changes.map((name) => [name, body[name]])), modified: now() / 1000 });
  };
  const move = (agent: Agent, state: AgentState): Agent => {
    addHistoryEntry(fleet, agent.id, state === 'deleted' ? 'deleted' : 'restored', nowS(), { actor: 'admin' });
    return put({
      ...agent,
      state,
      reason: state === 'deleted' ? 'deleted' : 'registered',
      state_since: nowS(),
      online: false,
      is_deleted: state === 'deleted',
    });
  };
  const purge = (agent: Agent): void => {
    fleet.agents = withoutRow(fleet.agents, agent.id);
    fleet.history.delete(agent.id);
    fleet.operations = fleet.operations.filter(({ agent_id: id }) => id !== agent.id);
  };
  /** Returns the reason why an agent cannot be changed; undefined if it can. */
  const obstacle = (agent: Agent, body: DemoCall['body']): string | undefined => {
    const isDeleted = stateOf(agent) === 'deleted';
    switch (body['action']) {
      case 'restore':
      case 'purge':
        return isDeleted ? undefined : 'The agent is not deleted.';
      case 'operate':
        return isDeleted
          ? 'The agent is deleted.'
          : fleet.operations.some(
                ({ agent_id: id, kind, deadline }) => id === agent.id && kind === body['kind'] && deadline > 0,
              )
            ? 'The same operation is still in progress.'
            : undefined;
      default:
        return isDeleted ? 'The agent is deleted.' : undefined;
    }
  };
  const act = (agent: Agent, body: DemoCall['body']): void => {
    const { action } = body;
    if (action === 'update') update(agent, body);
    else if (action === 'delete') move(agent, 'deleted');
    else if (action === 'restore') move(agent, 'pending');
    else if (action === 'purge') purge(agent);
    else operate(fleet, agent, body, nowS());
  };
  return {
    list({ query }) {
      const rows = sortAgents(filterAgents(fleet.agents, query), String(query['sort']));
      return page(rows, { page: query['_page'], page_size: query['_pagesize'] });
    },
    totals: ({ query }) => totalsOf(filterAgents(fleet.agents, query)),
    get: (call) => byId(fleet.agents, call),
    update: (call) => update(byId(fleet.agents, call), call.body),
    remove: (call) => void move(byId(fleet.agents, call), 'deleted'),
    restore: (call) => move(byId(fleet.agents, call), 'pending'),
    purge: (call) => purge(byId(fleet.agents, call)),
    events(call) {
      const { id } = byId(fleet.agents, call);
      const { kind } = call.query;
      return page(
        (fleet.history.get(id) ?? []).filter((entry) => kind === undefined || entry.kind === kind),
        call.query,
      );
    },
    diff(call) {
      const { id } = byId(fleet.agents, call);
      const entry = fleet.history.get(id)?.find((each) => each.id === call.params['event']);
      if (entry?.has_diff !== true) throw new DemoRefusal('not_found');
      return { diff: DIFF };
    },
    bulk({ body }) {
      const ids = body['ids'] as number[] | undefined;
      const matched =
        ids === undefined
          ? filterAgents(fleet.agents, body['filter'] as Query)
          : fleet.agents.filter(({ id }) => ids.includes(id));
      const failed = matched.flatMap((agent) => {
        const msg = obstacle(agent, body);
        return msg === undefined ? [] : [{ id: agent.id, msg }];
      });
      const able = matched.filter(({ id }) => !failed.some((one) => one.id === id));
      if (body['dry_run'] === true) return { matched: matched.length, done: 0, failed };
      for (const agent of able) act(agent, body);
      return { matched: matched.length, done: able.length, failed };
    },
  };
}

function operate(fleet: Fleet, agent: Agent, body: DemoCall['body'], nowS: number): Fleet['operations'][number] {
  const {
    kind,
    params = {},
    start_within: within = 3_600,
  } = body as {
    kind: Fleet['operations'][number]['kind'];
    params?: { version?: string };
    start_within?: number;
  };
  const operation: Fleet['operations'][number] = {
    id: nextId(fleet.operations),
    agent_id: agent.id,
    hostname: agent.hostname,
    kind,
    params,
    state: 'queued',
    progress: 0,
    detail: '',
    created: nowS,
    modified: nowS,
    deadline: nowS + within,
    created_by: 'admin',
  };
  fleet.operations = [operation, ...fleet.operations];
  addHistoryEntry(fleet, agent.id, 'operation', nowS, { field: kind, to: 'queued', actor: 'admin' });
  return operation;
}

/** Creates the handlers of operations. */
export const operationHandlers = (fleet: Fleet, now: () => number): NonNullable<DemoHandlers['agentOperation']> => ({
  list: ({ query }) =>
    page(
      fleet.operations.filter(
        ({ agent_id: id, state }) =>
          (query['agent_id'] === undefined || id === query['agent_id']) &&
          (query['state'] === undefined || state === query['state']),
      ),
      query,
    ),
  create({ body }) {
    const agent = fleet.agents.find(({ id }) => id === body['agent_id']);
    if (agent === undefined) throw new DemoRefusal('not_found');
    return operate(fleet, agent, body, Math.floor(now() / 1000));
  },
  cancel(call) {
    const operation = byId(fleet.operations, call);
    if (!['queued', 'delivered'].includes(operation.state)) throw new DemoRefusal('conflict');
    fleet.operations = withRow(fleet.operations, { ...operation, state: 'cancelled', deadline: 0 });
  },
});
