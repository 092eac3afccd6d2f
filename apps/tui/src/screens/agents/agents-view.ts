// The agents in words: columns, facets, facts, chips. Pure.
import type { Agent } from '@quarterdeck/sdk';
import type { Column } from '../../components/list/column.ts';
import { type Fact, factLines } from '../../components/list/detail-lines.ts';
import type { Facet } from '../../components/list/list-filter.ts';
import { clean } from '../../text/clean.ts';
import { age, fullTime, grouped } from '../../text/format.ts';
import type { Line, Run } from '../../text/lines.ts';
import { width as widthOf } from '../../text/width.ts';
import type { Tone } from '../../theme.ts';

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
    { id: 'status', title: 'Status', width: 9, pinned: true, cell: status },
    {
      id: 'host',
      title: 'Host',
      pinned: true,
      searched: true,
      width: Math.min(widths.host, 16),
      grow: 3,
      max: widths.host,
      cell: ({ hostname }) => ({ text: hostname }),
    },
    {
      id: 'seen',
      title: 'Seen',
      width: 5,
      value: ({ last_reported }) => -last_reported,
      align: 'right',
      cell: (agent) => ({ text: seen(agent, nowMs), tone: agent.online ? 'muted' : 'plain' }),
    },
    { id: 'ip', title: 'IP', width: widths.ip, drop: 2, searched: true, cell: ({ ip }) => ({ text: ip }) },
    { id: 'env', title: 'Env', width: widths.env, drop: 4, cell: ({ env }) => ({ text: env, tone: 'muted' }) },
    {
      id: 'kernel',
      title: 'Kernel',
      width: 16,
      grow: 2,
      max: widths.kernel + 2,
      drop: 3,
      cell: ({ system_version, bad_kernel }) =>
        bad_kernel ? { text: `! ${system_version.kernel}`, tone: 'warning' } : { text: system_version.kernel },
    },
    {
      id: 'distribution',
      title: 'Distribution',
      width: 12,
      grow: 2,
      max: widths.distribution,
      drop: 5,
      cell: ({ system_version }) => ({ text: system_version.kernel_distro, tone: 'muted' }),
    },
    {
      id: 'version',
      title: 'Agent',
      width: 6,
      align: 'right',
      drop: 6,
      cell: ({ package: { version } }) => ({ text: version === 0 ? '–' : String(version), tone: 'muted' }),
      value: ({ package: { version } }) => version,
    },
    ...(widths.progress === 0
      ? []
      : [
          {
            id: 'progress',
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
function agentFacts(agent: Agent, nowMs: number): Fact[] {
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

/** What agents can be chosen by. */
export const AGENT_FACETS: readonly Facet<Agent>[] = [
  { id: 'status', title: 'Status', value: ({ online }) => (online ? 'online' : 'offline') },
  { id: 'env', title: 'Environment', value: ({ env }) => env },
  { id: 'distribution', title: 'Distribution', value: ({ system_version }) => system_version.kernel_distro },
  { id: 'kernel', title: 'Kernel', value: ({ system_version }) => system_version.kernel },
  { id: 'version', title: 'Agent version', value: ({ package: { version } }) => String(version) },
  { id: 'kernelState', title: 'Kernel state', value: ({ bad_kernel }) => (bad_kernel ? 'bad kernel' : 'good') },
];

/** The facts as rows. */
export const agentLines = (agent: Agent, nowMs: number, width: number): Line[] =>
  factLines(agentFacts(agent, nowMs), width);

/** How many there are of each kind. */
export function agentChips(agents: readonly Agent[]): Run[] {
  if (agents.length === 0) return [];
  const online = agents.filter((agent) => agent.online).length;
  const offline = agents.length - online;
  return [
    ...(offline > 0 ? [{ text: `${grouped(offline)} offline`, tone: 'bad' as const }] : []),
    { text: `${grouped(online)} online`, tone: 'good' },
  ];
}
