// The agents in words: order, columns, facts, chips. Pure.
import type { Agent } from '@quarterdeck/sdk';
import type { Fact } from '../../components/detail-pane.tsx';
import type { Column } from '../../components/table/table.tsx';
import type { Run } from '../../components/text.tsx';
import type { FeedEvent } from '../../data/feed.ts';
import { clean } from '../../text/clean.ts';
import { age, fullTime, grouped } from '../../text/format.ts';
import { width as widthOf } from '../../text/width.ts';
import type { Tone } from '../../theme.ts';

/** Offline ones first, since they are what one looks for; then by name. */
export function inOrder(agents: Iterable<Agent>): Agent[] {
  return [...agents].sort(
    (a, b) =>
      Number(a.online) - Number(b.online) ||
      (a.hostname < b.hostname ? -1 : a.hostname > b.hostname ? 1 : 0) ||
      a.id - b.id,
  );
}

/** The agents after what the stream told. */
export function withEvents(agents: readonly Agent[], events: readonly FeedEvent[]): readonly Agent[] {
  const changed = new Map<number, Agent>();
  for (const event of events) {
    if (event.type.startsWith('agent.')) changed.set((event.data as Agent).id, event.data as Agent);
  }
  if (changed.size === 0) return agents;
  const known = new Map(agents.map((agent) => [agent.id, agent]));
  for (const [id, agent] of changed) {
    if (agent.is_deleted) known.delete(id);
    // An event may carry less than a row of the list.
    else known.set(id, { ...known.get(id), ...agent });
  }
  return inOrder(known.values());
}

const status = ({ online }: Agent): { text: string; tone: Tone } =>
  online ? { text: '● online', tone: 'good' } : { text: '○ offline', tone: 'bad' };

const seen = ({ last_reported }: Agent, nowMs: number): string =>
  last_reported === 0 ? 'never' : age(nowMs / 1000 - last_reported);

/** What the agent is busy with; nothing when idle. */
export function progressText({ progress }: Agent): string {
  if (progress.current === 0 && progress.detail === '') return '';
  return `${progress.current}%${progress.detail === '' ? '' : ` ${progress.detail}`}`;
}

const widest = (texts: Iterable<string>, least: number, most: number): number => {
  let width = least;
  for (const text of texts) width = Math.max(width, Math.min(most, widthOf(clean(text))));
  return width;
};

/** How wide the columns have to be to show everything. */
export interface AgentWidths {
  readonly host: number;
  readonly ip: number;
  readonly env: number;
  readonly kernel: number;
  readonly distribution: number;
  /** 0 while all are idle: then there is no such column. */
  readonly progress: number;
}

/** Measures all agents, so that columns do not change while one scrolls. */
export function agentWidths(agents: readonly Agent[]): AgentWidths {
  const of = (text: (agent: Agent) => string, least: number, most: number): number =>
    widest(agents.map(text), least, most);
  return {
    host: of(({ hostname }) => hostname, 8, 40),
    ip: of(({ ip }) => ip, 7, 15),
    env: of(({ env }) => env, 4, 10),
    kernel: of(({ system_version }) => system_version.kernel, 10, 32),
    distribution: of(({ system_version }) => system_version.kernel_distro, 12, 28),
    progress: agents.some((agent) => progressText(agent) !== '') ? of(progressText, 13, 40) : 0,
  };
}

/** The columns of the list. */
export function agentColumns(widths: AgentWidths, nowMs: number): Column<Agent>[] {
  return [
    { title: 'Status', width: 9, cell: status },
    {
      title: 'Host',
      width: Math.min(widths.host, 16),
      grow: 3,
      max: widths.host,
      cell: ({ hostname }) => ({ text: hostname }),
    },
    {
      title: 'Seen',
      width: 5,
      align: 'right',
      cell: (agent) => ({ text: seen(agent, nowMs), tone: agent.online ? 'muted' : 'plain' }),
    },
    { title: 'IP', width: widths.ip, drop: 2, cell: ({ ip }) => ({ text: ip }) },
    { title: 'Env', width: widths.env, drop: 4, cell: ({ env }) => ({ text: env, tone: 'muted' }) },
    {
      title: 'Kernel',
      width: 16,
      grow: 2,
      max: widths.kernel + 2,
      drop: 3,
      cell: ({ system_version, bad_kernel }) =>
        bad_kernel ? { text: `! ${system_version.kernel}`, tone: 'warning' } : { text: system_version.kernel },
    },
    {
      title: 'Distribution',
      width: 12,
      grow: 2,
      max: widths.distribution,
      drop: 5,
      cell: ({ system_version }) => ({ text: system_version.kernel_distro, tone: 'muted' }),
    },
    ...(widths.progress === 0
      ? []
      : [
          {
            title: 'Progress',
            width: 13,
            grow: 2,
            max: widths.progress,
            drop: 1,
            cell: (agent: Agent) => ({ text: progressText(agent), tone: 'notice' as const }),
          },
        ]),
  ];
}

const moment = (seconds: number, nowMs: number): string =>
  seconds === 0 ? 'never' : `${fullTime(seconds * 1000)} (${age(nowMs / 1000 - seconds)} ago)`;
const yesNo = (value: boolean): string => (value ? 'yes' : 'no');

/** Everything that is known of an agent. */
export function agentFacts(agent: Agent, nowMs: number): Fact[] {
  const { system_version: system, dependency, interval } = agent;
  const { text, tone } = status(agent);
  return [
    { label: 'Status', value: text, tone },
    { label: 'Last reported', value: moment(agent.last_reported, nowMs) },
    ...(interval === undefined ? [] : [{ label: 'Reports every', value: `${interval} s` }]),
    { label: 'Progress', value: clean(progressText(agent)) || 'idle' },
    { label: 'IP', value: clean(agent.ip) },
    { label: 'Environment', value: clean(agent.env) },
    { label: 'System', value: clean(agent.system_name) },
    { label: 'Distribution', value: clean(system.kernel_distro) },
    {
      label: 'Kernel',
      value: `${clean(system.kernel)}${agent.bad_kernel ? ' (marked as bad)' : ''}`,
      ...(agent.bad_kernel ? { tone: 'warning' as const } : {}),
    },
    { label: 'Kernel package', value: clean(system.kernel_package) },
    { label: 'Kernel build', value: clean(system.kernel_bid) },
    { label: 'C library', value: clean(system.libc) },
    { label: 'Agent version', value: agent.package.version === 0 ? '' : String(agent.package.version) },
    { label: 'Agent built', value: agent.package.timestamp === 0 ? '' : fullTime(agent.package.timestamp * 1000) },
    { label: 'SystemTap', value: clean(dependency.stap_version) },
    { label: 'ODB', value: clean(dependency.odb_version) },
    { label: 'Transient events', value: yesNo(agent.catch_transient_event) },
    { label: 'Runs tools itself', value: yesNo(agent.autorun_tools) },
    { label: 'Note', value: clean(agent.note) },
    { label: 'Node', value: clean(agent.node_id) },
    { label: 'Registered', value: moment(agent.created, nowMs) },
    { label: 'Changed', value: moment(agent.modified, nowMs) },
  ];
}

/** How many there are of each kind, and where the selection is. */
export function agentChips(agents: readonly Agent[], index: number): Run[] {
  if (agents.length === 0) return [];
  const online = agents.filter((agent) => agent.online).length;
  const offline = agents.length - online;
  return [
    ...(offline > 0 ? [{ text: `${grouped(offline)} offline`, tone: 'bad' as const }] : []),
    { text: `${grouped(online)} online`, tone: 'good' },
    { text: `${grouped(index + 1)} of ${grouped(agents.length)}`, tone: 'muted' },
  ];
}
