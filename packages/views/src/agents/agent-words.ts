// States, reasons and events of agents as words with a sign and a tone. Pure.

import { HOST_CHANGE_KINDS } from '@quarterdeck/core/plain';
import type { Agent, AgentEvent, AgentEventKind, AgentReason, AgentState, OperationKind } from '@quarterdeck/sdk';
import { clean } from '../text/clean.ts';
import { shortTime } from '../text/format.ts';
import { signed, type Tone, type Word } from '../text/tone.ts';
import { versionText } from '../text/version.ts';

const STATES: Readonly<Record<AgentState, Word>> = {
  online: { sign: '●', text: 'online', tone: 'good' },
  offline: { sign: '○', text: 'offline', tone: 'bad' },
  pending: { sign: '◇', text: 'pending', tone: 'notice' },
  inactive: { sign: '·', text: 'inactive', tone: 'muted' },
  deleted: { sign: '✖', text: 'deleted', tone: 'faint' },
};

/** The state of an agent; an agent from an event may lack it. */
export const stateOf = ({ state, online, is_deleted: deleted }: Agent): AgentState =>
  state ?? (deleted ? 'deleted' : online ? 'online' : 'offline');

/** The host's name, or the agent's id. */
export const agentName = ({ hostname, id }: Pick<Agent, 'hostname' | 'id'>): string => clean(hostname) || `#${id}`;

/** A state in a word. */
export const stateWord = (state: AgentState): Word => STATES[state];

/** The tone of a state in a chart. */
export const stateTone = (state: AgentState): Tone => STATES[state].tone;

const REASONS: Readonly<Record<AgentReason, string>> = {
  registered: 'not reported yet',
  server_restarted: 'given time to report',
  reporting: '',
  lost: 'went silent',
  shut_down: 'shut down',
  never_reported: 'never reported',
  deleted: '',
};

/** The reason of an agent's state; empty where it adds nothing. */
export const reasonWord = ({ reason }: Pick<Agent, 'reason'>): string => (reason === undefined ? '' : REASONS[reason]);

const worst: readonly Tone[] = ['bad', 'warning', 'notice', 'muted'];

/** The progress of the agent; empty when idle. */
export function progressText({ progress }: Pick<Agent, 'progress'>): string {
  if (progress.current === 0 && progress.detail === '') return '';
  return `${progress.current}%${progress.detail === '' ? '' : ` ${progress.detail}`}`;
}

/** False for a field whose value is not known of the time that is shown. */
export const isKnown = ({ unknown }: Pick<Agent, 'unknown'>, field: string): boolean =>
  unknown?.includes(field) !== true;

/** Remarks about an agent: the reason of its state, a clone, a bad kernel, maintenance. */
export function remarksOf(agent: Agent): Word[] {
  const { bad_kernel: bad, bad_kernel_reason: why = '', maintenance } = agent;
  const cloned = isKnown(agent, 'cloned') ? agent.cloned : undefined;
  const reason = reasonWord(agent);
  return [
    ...(reason === '' ? [] : [{ text: reason, tone: stateOf(agent) === 'offline' ? 'plain' : 'muted' } as const]),
    ...(cloned === true ? [{ sign: '▲', text: 'cloned', tone: 'bad' } as const] : []),
    ...(bad ? [{ sign: '▲', text: `bad kernel${why === '' ? '' : `: ${clean(why)}`}`, tone: 'warning' } as const] : []),
    ...(maintenance === true ? [{ sign: '◆', text: 'maintenance', tone: 'notice' } as const] : []),
  ];
}

/** The remarks and the progress as one cell, in the tone of the worst. */
export function remarkCell(agent: Agent): Word {
  const busy = isKnown(agent, 'progress') ? clean(progressText(agent)) : '';
  const words: Word[] = [...remarksOf(agent), ...(busy === '' ? [] : [{ text: busy, tone: 'notice' } as const])];
  return {
    text: words.map((word) => signed(word).text).join(', '),
    tone: worst.find((tone) => words.some((word) => word.tone === tone)) ?? 'plain',
  };
}

const KINDS: Readonly<Record<AgentEventKind, Word>> = {
  registered: { sign: '◇', text: 'registered', tone: 'notice' },
  online: { sign: '●', text: 'online', tone: 'good' },
  offline: { sign: '○', text: 'offline', tone: 'bad' },
  inactive: { sign: '·', text: 'inactive', tone: 'muted' },
  changed: { sign: '◆', text: 'changed', tone: 'accent' },
  restarted: { sign: '◆', text: 'agent restarted', tone: 'notice' },
  rebooted: { sign: '▲', text: 'host rebooted', tone: 'warning' },
  cloned: { sign: '▲', text: 'cloned', tone: 'bad' },
  settings: { sign: '◆', text: 'setting', tone: 'accent' },
  note: { sign: '◆', text: 'note', tone: 'accent' },
  labels: { sign: '◆', text: 'labels', tone: 'accent' },
  maintenance: { sign: '◆', text: 'maintenance', tone: 'notice' },
  operation: { sign: '◆', text: 'operation', tone: 'notice' },
  deleted: { sign: '✖', text: 'deleted', tone: 'bad' },
  restored: { sign: '✓', text: 'restored', tone: 'good' },
  change: { sign: '◆', text: 'change', tone: 'accent' },
  config: { sign: '◆', text: 'configuration', tone: 'accent' },
  program: { sign: '◆', text: 'program', tone: 'accent' },
  package: { sign: '◆', text: 'package', tone: 'accent' },
  certificate: { sign: '◆', text: 'certificate', tone: 'accent' },
  unit: { sign: '◆', text: 'unit', tone: 'notice' },
  clock: { sign: '▲', text: 'clock set', tone: 'warning' },
  disk: { sign: '▲', text: 'disk space', tone: 'warning' },
  dns: { sign: '◆', text: 'name servers', tone: 'accent' },
  time_zone: { sign: '◆', text: 'time zone', tone: 'accent' },
  container: { sign: '◆', text: 'container', tone: 'notice' },
};

/** The kind of an event. */
export const kindWord = (kind: AgentEventKind): Word => KINDS[kind];

const FIELDS: Readonly<Record<string, string>> = {
  'system_version.kernel': 'kernel',
  'system_version.kernel_package': 'kernel package',
  'system_version.kernel_bid': 'kernel build',
  'system_version.kernel_distro': 'distribution',
  'system_version.libc': 'C library',
  'package.version': 'agent version',
  'package.timestamp': 'agent built',
  'dependency.stap_version': 'SystemTap',
  'dependency.odb_version': 'ODB',
  system_name: 'system',
  catch_transient_event: 'transient events',
  autorun_tools: 'runs tools itself',
  bad_kernel: 'bad kernel',
  enrollment: 'enrollment token',
  boot_time: 'boot',
};

/** The name of a field for people. */
export const fieldWord = (field: string): string => FIELDS[field] ?? clean(field.replaceAll('_', ' '));

const FIELD_PATHS = new RegExp(
  Object.keys(FIELDS)
    .filter((field) => field.includes('.'))
    .map((field) => field.replace('.', '\\.'))
    .join('|'),
  'g',
);

/** A sentence of the server with the names of fields for people. */
export const withFieldWords = (sentence: string): string => sentence.replaceAll(FIELD_PATHS, fieldWord);

type FromTo = Pick<AgentEvent, 'from' | 'to'> & { readonly field?: string };

/** The values of a change: `6.1 → 6.2`; empty without values. */
export function fromTo({ from, to, field = '' }: FromTo): string {
  const isNumber = field === 'package.version';
  const words = [from, to].map((text) => (isNumber && /^\d+$/.test(text) ? versionText(Number(text)) : clean(text)));
  if (words[0] === '') return words[1] ?? '';
  return `${words[0]} → ${words[1] === '' ? 'nothing' : words[1]}`;
}

const isReason = (field: string): field is AgentReason => Object.hasOwn(REASONS, field);

/** The text of an event besides its kind: a reason, or a field with its values. */
export function eventText(
  event: Pick<AgentEvent, 'kind' | 'field' | 'from' | 'to'> & { readonly name?: string },
): string {
  const { kind, field, name = '', from, to } = event;
  if (isHostChange(kind)) return namedChange(clean(field), event);
  switch (kind) {
    case 'change':
      return namedChange(clean(`${field} ${name}`.trim()), event);
    case 'restarted':
    case 'rebooted':
      return '';
    case 'online':
    case 'offline':
    case 'inactive':
      return isReason(field) ? REASONS[field] : fieldWord(field);
    case 'note':
    case 'labels':
    case 'maintenance':
      return fromTo({ from, to });
    default:
      return namedChange(field === '' ? '' : fieldWord(field), event);
  }
}

/** Of a change while an agent was down: `at some time since 03:02`; empty where its time is known. */
export const sinceText = ({ since }: Pick<AgentEvent, 'since'>, nowMs: number): string =>
  since === null ? '' : `at some time since ${shortTime(since, nowMs)}`;

const isHostChange = (kind: string): boolean => HOST_CHANGE_KINDS.some((each) => each === kind);

/** The name of a change with its values. */
const namedChange = (name: string, values: FromTo): string =>
  [name, fromTo(values)].filter((text) => text !== '').join(': ');

/** Operations with their effects. */
export const OPERATIONS: Readonly<Record<OperationKind, { readonly label: string; readonly text: string }>> = {
  collect_facts: { label: 'collect facts', text: 'The agent reports all of its facts again.' },
  upgrade: {
    label: 'upgrade',
    text: 'The agent runs the hook configured on its host. The server sends no command, and nothing is downloaded.',
  },
  restart_tailer: { label: 'restart tailer', text: 'The agent reopens the log files it follows.' },
};
