// Demo: agents, with filters, counts, single and bulk changes, and histories.
import {
  AGENT_FIELDS,
  type AgentBulk,
  type AgentChange,
  type AgentEvent,
  type AgentFilter,
  type AgentState,
  type AgentTotals,
  compileAgentFilter,
  type LabelFilter,
  parseFilter,
} from '@quarterdeck/core';
import type { Agent, Operation } from '@quarterdeck/sdk';
import { createBuilders, type Fake, refusal } from '@quarterdeck/sdk/testing';
import { addHistoryEntry, DIFF, LIMITS_DIFF, LIMITS_FILE } from './agent-story.ts';
import { vitalsOf } from './agent-vitals.ts';
import type { Fleet } from './fleet-state.ts';
import { byId, nextId, tally, withoutRow, withRow } from './rows.ts';

/** States before an entry of the history. */
const BEFORE: Readonly<Partial<Record<AgentEvent['kind'], AgentState>>> = {
  offline: 'online',
  online: 'offline',
  inactive: 'offline',
  restored: 'deleted',
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Sets a field by its path, in the type that it has. */
function withField<T>(target: T, [name = '', ...rest]: readonly string[], text: string): T {
  if (!isObject(target) || !Object.hasOwn(target, name)) return target;
  const present = target[name];
  const typed = typeof present === 'number' ? Number(text) : typeof present === 'boolean' ? text === 'true' : text;
  return { ...target, [name]: rest.length === 0 ? typed : withField(present, rest, text) };
}

function undo(agent: Agent, { kind, field, from }: AgentEvent): Agent {
  const state = BEFORE[kind];
  if (state !== undefined) {
    const reason = state === 'online' ? 'reporting' : 'lost';
    return { ...agent, state, reason, online: state === 'online', is_deleted: state === 'deleted' };
  }
  const isField = ['changed', 'settings', 'note', 'maintenance'].includes(kind);
  return isField && !isObject(agent[field as keyof Agent]) ? withField(agent, field.split('.'), from) : agent;
}

/** The agents at a time, Unix seconds. */
export const pastAgents = ({ agents, history }: Fleet, at: number): Agent[] =>
  agents
    .filter(({ created }) => created <= at)
    .map((agent) => {
      const later = (history.get(agent.id) ?? []).filter(({ time }) => time > at).sort((a, b) => b.time - a.time);
      const then = later.reduce(undo, agent);
      const isSeen = agent.last_reported <= at;
      return {
        ...then,
        last_reported: isSeen ? agent.last_reported : at,
        unknown: ['modified', 'progress', 'interval', 'shipper', 'cloned', ...(isSeen ? [] : ['last_reported'])],
      };
    });

const stateOf = ({ state, online, is_deleted }: Agent): AgentState =>
  state ?? (is_deleted ? 'deleted' : online ? 'online' : 'offline');

const labelsOf = ({ labels = {} }: Agent): string[] =>
  Object.entries(labels).map(([name, value]) => `${name}=${value}`);

const hasLabel = ({ labels = {} }: Agent, { name, value }: LabelFilter): boolean =>
  labels[name] !== undefined && (value === undefined || labels[name] === value);

/** Returns the agents that pass the filters of the list. */
function filterAgents(agents: readonly Agent[], query: Partial<AgentFilter>, nowS: number): Agent[] {
  const { state: states, label: labels = [], env, kernel } = query;
  const text = query.q?.toLowerCase();
  const matches = compileAgentFilter(parseFilter(query.filter ?? '', AGENT_FIELDS), nowS);
  const flag = (name: 'bad_kernel' | 'maintenance' | 'cloned' | 'online') => (agent: Agent) =>
    query[name] === undefined || (agent[name] === true) === query[name];
  const tests: ((agent: Agent) => boolean)[] = [
    (agent) => query.include_deleted === true || states?.includes('deleted') === true || stateOf(agent) !== 'deleted',
    (agent) => states === undefined || states.includes(stateOf(agent)),
    (agent) => env === undefined || agent.env === env,
    (agent) => kernel === undefined || agent.system_version.kernel === kernel,
    (agent) => labels.every((label) => hasLabel(agent, label)),
    (agent) =>
      text === undefined ||
      [agent.hostname, agent.node_id, agent.ip, agent.note, ...labelsOf(agent)].some((one) =>
        one.toLowerCase().includes(text),
      ),
    (agent) => matches({ ...agent, state: stateOf(agent) }),
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
  tally([...values].sort()).map(([value, count]) => ({ value, count }));

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

const HISTORY_KINDS: Readonly<Record<string, AgentEvent['kind']>> = {
  note: 'note',
  labels: 'labels',
  maintenance: 'maintenance',
};
const EDITED = ['note', 'labels', 'catch_transient_event', 'autorun_tools', 'maintenance'] as const;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** Returns the reason why an agent cannot be changed; undefined if it can. */
function obstacle({ operations }: Fleet, agent: Agent, { action, kind }: AgentBulk): string | undefined {
  const isDeleted = stateOf(agent) === 'deleted';
  if (action === 'restore' || action === 'purge') return isDeleted ? undefined : 'The agent is not deleted.';
  if (isDeleted) return 'The agent is deleted.';
  const isOpen = ({ agent_id: id, kind: own, deadline }: Operation) => id === agent.id && own === kind && deadline > 0;
  return action === 'operate' && operations.some(isOpen) ? 'The same operation is still in progress.' : undefined;
}

type OperationRequest = Pick<Operation, 'kind'> & { params?: Operation['params']; start_within?: number };

function operate(fleet: Fleet, agent: Agent, request: OperationRequest, nowS: number): Operation {
  const { kind, params = {}, start_within: within = 3_600 } = request;
  const operation = createBuilders({ now: nowS * 1000 }).operation({
    id: nextId(fleet.operations),
    agent_id: agent.id,
    hostname: agent.hostname,
    kind,
    params,
    deadline: nowS + within,
  });
  fleet.operations = [operation, ...fleet.operations];
  addHistoryEntry(fleet, agent.id, 'operation', nowS, { field: kind, to: 'queued', actor: 'admin' });
  return operation;
}

export function answerAgents({ on }: Fake, fleet: Fleet, now: () => number): void {
  const nowS = (): number => Math.floor(now() / 1000);
  const put = (agent: Agent): Agent => {
    fleet.agents = withRow(fleet.agents, agent);
    return agent;
  };
  const update = (agent: Agent, body: AgentChange): Agent => {
    const changes = EDITED.filter((name) => body[name] !== undefined);
    for (const field of changes) {
      const [from, to] = [agent[field], body[field]].map(textOf);
      addHistoryEntry(fleet, agent.id, HISTORY_KINDS[field] ?? 'settings', nowS(), {
        field,
        from: from ?? '',
        to: to ?? '',
        actor: 'admin',
      });
    }
    return put({ ...agent, ...Object.fromEntries(changes.map((name) => [name, body[name]])), modified: now() / 1000 });
  };
  const move = (agent: Agent, state: 'deleted' | 'pending'): Agent => {
    const isDeleted = state === 'deleted';
    addHistoryEntry(fleet, agent.id, isDeleted ? 'deleted' : 'restored', nowS(), { actor: 'admin' });
    const reason = isDeleted ? 'deleted' : 'registered';
    return put({ ...agent, state, reason, state_since: nowS(), online: false, is_deleted: isDeleted });
  };
  const purge = (agent: Agent): void => {
    fleet.agents = withoutRow(fleet.agents, agent.id);
    fleet.history.delete(agent.id);
    fleet.operations = fleet.operations.filter(({ agent_id: id }) => id !== agent.id);
  };
  const act = (agent: Agent, body: AgentBulk): void => {
    const { action, kind = 'collect_facts', params = {} } = body;
    if (action === 'update') update(agent, body);
    else if (action === 'delete') move(agent, 'deleted');
    else if (action === 'restore') move(agent, 'pending');
    else if (action === 'purge') purge(agent);
    else operate(fleet, agent, { kind, params }, nowS());
  };
  const agentsAt = (at: number | undefined): readonly Agent[] =>
    at === undefined ? fleet.agents : pastAgents(fleet, at);
  on('agent.list', ({ query }) => sortAgents(filterAgents(agentsAt(query.at), query, query.at ?? nowS()), query.sort));
  on('agent.totals', ({ query }) => totalsOf(filterAgents(agentsAt(query.at), query, query.at ?? nowS())));
  on('agent.get', (call) => byId(agentsAt(call.query.at), call));
  on('agent.update', (call) => update(byId(fleet.agents, call), call.body));
  on('agent.remove', (call) => void move(byId(fleet.agents, call), 'deleted'));
  on('agent.restore', (call) => move(byId(fleet.agents, call), 'pending'));
  on('agent.purge', (call) => purge(byId(fleet.agents, call)));
  on('agent.events', (call) => {
    const { kind } = call.query;
    const history = fleet.history.get(byId(fleet.agents, call).id) ?? [];
    return history.filter((entry) => kind === undefined || entry.kind === kind);
  });
  on('agent.vitals', (call) => {
    const end = call.query.end_time ?? nowS();
    const start = call.query.start_time ?? end - 3600;
    const data = vitalsOf(byId(fleet.agents, call), start, end, nowS());
    return { data, meta: { count: data.length, start_time: start, end_time: end } };
  });
  on('agent.diff', (call) => {
    const entry = fleet.history.get(byId(fleet.agents, call).id)?.find(({ id }) => id === call.params.event);
    if (entry?.has_diff !== true) throw refusal('not_found');
    return { diff: entry.field === LIMITS_FILE ? LIMITS_DIFF : DIFF };
  });
  on('agent.bulk', ({ body }) => {
    const { ids, filter = {}, dry_run: isDry } = body;
    const matched =
      ids === undefined
        ? filterAgents(fleet.agents, filter, nowS())
        : fleet.agents.filter(({ id }) => ids.includes(id));
    const failed = matched.flatMap((agent) => {
      const msg = obstacle(fleet, agent, body);
      return msg === undefined ? [] : [{ id: agent.id, msg }];
    });
    const able = isDry ? [] : matched.filter(({ id }) => !failed.some((one) => one.id === id));
    for (const agent of able) act(agent, body);
    return { matched: matched.length, done: able.length, failed };
  });

  on('agentOperation.list', ({ query: { agent_id: agent, state } }) =>
    fleet.operations.filter(
      (one) => (agent === undefined || one.agent_id === agent) && (state === undefined || one.state === state),
    ),
  );
  on('agentOperation.create', ({ body }) =>
    operate(fleet, byId(fleet.agents, { params: { id: body.agent_id } }), body, nowS()),
  );
  on('agentOperation.cancel', (call) => {
    const operation = byId(fleet.operations, call);
    if (!['queued', 'delivered'].includes(operation.state)) throw refusal('conflict');
    fleet.operations = withRow(fleet.operations, { ...operation, state: 'cancelled', deadline: 0 });
  });
}
