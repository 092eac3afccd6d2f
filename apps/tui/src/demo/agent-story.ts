// Histories of the demo agents, and their progress.
import type { AgentEvent, Operation, Outage } from '@quarterdeck/core';
import type { Agent } from '@quarterdeck/sdk';
import { build, type Fake } from '@quarterdeck/sdk/testing';
import { isInOutage, KERNELS, UPGRADED_HOSTS } from './agents.ts';
import type { Fleet } from './fleet-state.ts';
import type { Random } from './random.ts';

const DAY_S = 86_400;

type HistoryEntry = Omit<AgentEvent, 'id'>;

const historyEntry = (time: number, kind: AgentEvent['kind'], over: Partial<HistoryEntry> = {}): HistoryEntry =>
  build.agentEvent({ time, kind, ...over });

/** A deployment on all hosts of the API, reported from outside. */
const DEPLOYMENT = { field: 'deploy', name: 'checkout', from: '2.8.4', to: '2.9.0', actor: 'ci', change_id: 1 };
/** Age of the deployment, seconds. */
export const DEPLOYED_AGO_S = 3 * 3_600;

/** Age of the kernel upgrade of a host, seconds. Its errors begin some minutes later. */
export const upgradedAgo = (hostname: string): number | undefined => {
  const at = (UPGRADED_HOSTS as readonly string[]).indexOf(hostname);
  return at === -1 ? undefined : 5_400 - at * 240;
};

/** Age of a changed limit of requests on a host, seconds. */
export const limitedAgo = (hostname: string): number | undefined => {
  const at = ['gateway-iad-1', 'gateway-iad-2', 'gateway-iad-3'].indexOf(hostname);
  return at === -1 ? undefined : 2_700 + at * 40;
};

/** The file with the limits of requests. */
export const LIMITS_FILE = '/etc/nginx/conf.d/limits.conf';

/** Changed lines of the limits of requests. */
export const LIMITS_DIFF = [
  '@@ -3,4 +3,4 @@',
  ' limit_req_zone $binary_remote_addr zone=per_ip:10m',
  '-    rate=50r/s;',
  '+    rate=5r/s;',
  ' limit_req_status 429;',
].join('\n');

/** Changed lines of every other configuration file of the demo. */
export const DIFF = [
  '@@ -14,5 +14,5 @@',
  '     keepalive_timeout 65;',
  '     client_max_body_size 20m;',
  '-    worker_connections 1024;',
  '+    worker_connections 4096;',
  '     proxy_set_header Authorization ...(22 characters);',
].join('\n');

function historyOf(agent: Agent, random: Random, nowS: number): HistoryEntry[] {
  const { hostname, created, state, state_since: since = nowS } = agent;
  const history = [historyEntry(created, 'registered'), historyEntry(created + 4, 'online')];
  if (state === 'pending') return [historyEntry(created, 'registered')];
  // A restart every night, which explains nothing.
  for (let night = 1; night <= 4; night += 1) {
    history.push(historyEntry(nowS - night * DAY_S - 40 * 60, 'restarted', { field: 'started' }));
  }
  history.push(
    historyEntry(nowS - 9 * DAY_S - agent.id * 311, 'changed', {
      field: 'package.version',
      from: '1031003',
      to: '1031004',
    }),
    historyEntry(nowS - 11 * DAY_S - agent.id * 97, 'labels', {
      to: `site=${agent.labels?.['site'] ?? ''}`,
      actor: 'admin',
    }),
  );
  if (hostname.startsWith('edge-')) {
    const over = { field: '/etc/nginx/nginx.conf', from: '3f2a90c41d7e', to: 'b81c07d5e92a', has_diff: true };
    history.push(historyEntry(nowS - 12 * DAY_S - agent.id * 41, 'config', over));
  }
  // A setting that was changed on all hosts this morning, with or without errors.
  if (agent.id % 3 === 0) {
    const over = { field: 'autorun_tools', from: 'false', to: 'true', actor: 'night-shift' };
    history.push(historyEntry(nowS - 6_000 - agent.id * 20, 'settings', over));
  }
  const limited = limitedAgo(hostname);
  if (limited !== undefined) {
    const over = { field: LIMITS_FILE, from: '0c11fe7d90ab', to: '77ad1f02c3e8', has_diff: true };
    history.push(historyEntry(nowS - limited, 'config', over));
  }
  if (hostname.startsWith('api-')) history.push(historyEntry(nowS - DEPLOYED_AGO_S, 'change', DEPLOYMENT));
  if (agent.note !== '') history.push(historyEntry(nowS - 30 * DAY_S, 'note', { to: agent.note, actor: 'on-call' }));
  const upgraded = upgradedAgo(hostname);
  if (upgraded !== undefined) {
    const at = nowS - upgraded;
    history.push(
      historyEntry(at - 70, 'offline', { field: 'shut_down', from: 'online', to: 'offline' }),
      historyEntry(at - 2, 'rebooted', { field: 'boot_time' }),
      historyEntry(at, 'changed', { field: 'system_version.kernel', from: KERNELS.before, to: KERNELS.after }),
      historyEntry(at, 'changed', {
        field: 'system_version.kernel_package',
        from: `linux-image-${KERNELS.before}`,
        to: `linux-image-${KERNELS.after}`,
      }),
      historyEntry(at + 1, 'online', { field: 'reporting', from: 'offline', to: 'online' }),
    );
  }
  if (state === 'offline' || state === 'inactive') {
    history.push(historyEntry(since, 'offline', { field: agent.reason ?? 'lost', from: 'online', to: 'offline' }));
  }
  if (agent.cloned === true)
    history.push(historyEntry(nowS - random.whole(900, 9_000), 'cloned', { to: '10.21.8.77' }));
  if (state === 'deleted') history.push(historyEntry(nowS - 2 * DAY_S, 'deleted', { actor: 'admin' }));
  return history;
}

/** Creates the histories of agents by id, newest first. */
export function makeHistory(agents: readonly Agent[], random: Random, nowS: number): Map<number, AgentEvent[]> {
  let id = 0;
  return new Map(
    agents.map((agent) => [
      agent.id,
      historyOf(agent, random, nowS)
        .map((one): AgentEvent => ({ ...one, id: ++id }))
        .sort((a, b) => b.time - a.time || b.id - a.id),
    ]),
  );
}

/** Adds an entry to a history. */
export function addHistoryEntry(
  fleet: Fleet,
  agentId: number,
  kind: AgentEvent['kind'],
  nowS: number,
  over: Partial<HistoryEntry> = {},
): void {
  const before = fleet.history.get(agentId) ?? [];
  const id = Math.max(0, ...before.map((event) => event.id)) + 1;
  fleet.history.set(agentId, [{ ...historyEntry(nowS, kind, over), id }, ...before]);
}

const NEXT: Readonly<Partial<Record<Operation['state'], Operation['state']>>> = {
  queued: 'delivered',
  delivered: 'running',
};

function stepOperations(fleet: Fleet, random: Random, nowS: number): void {
  fleet.operations = fleet.operations.map((operation): Operation => {
    const { state, progress } = operation;
    if (state === 'running') {
      const next = Math.min(100, progress + random.whole(1, 9));
      return next < 100
        ? { ...operation, progress: next, modified: nowS }
        : { ...operation, state: 'succeeded', progress: 100, detail: 'done', deadline: 0, modified: nowS };
    }
    const after = NEXT[state];
    return after !== undefined && random.chance(0.15) ? { ...operation, state: after, modified: nowS } : operation;
  });
}

/** Advances the outage host by host, and the operations. */
export function stepStory(fleet: Fleet, random: Random, nowS: number, emit: Fake['emit']): void {
  stepOperations(fleet, random, nowS);
  const outage = fleet.outages.find(({ ended }) => ended === null);
  const away = fleet.agents.filter((agent) => isInOutage(agent) && agent.state === 'offline');
  const [back] = away;
  if (outage === undefined || back === undefined || !random.chance(0.05)) return;
  const agent: Agent = {
    ...back,
    online: true,
    state: 'online',
    reason: 'reporting',
    state_since: nowS,
    last_reported: nowS,
  };
  fleet.agents = fleet.agents.map((one) => (one.id === agent.id ? agent : one));
  addHistoryEntry(fleet, agent.id, 'online', nowS, { field: 'reporting', from: 'offline', to: 'online' });
  emit('agent.online', agent);
  const isOver = away.length === 1;
  const next: Outage = {
    ...outage,
    returned: outage.returned + 1,
    ended: isOver ? nowS : null,
    sample: outage.sample.filter(({ id }) => id !== agent.id),
  };
  fleet.outages = fleet.outages.map((one) => (one.id === next.id ? next : one));
  if (isOver) emit('agent.outage', next);
}
