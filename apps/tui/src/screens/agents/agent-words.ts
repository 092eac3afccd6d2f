// States, reasons and what happens to agents, in words with a glyph and a tone. Pure.
import type { AgentEvent, AgentEventKind, AgentReason, AgentState } from '@quarterdeck/core';
import type { Agent } from '@quarterdeck/sdk';
import { clean } from '../../text/clean.ts';
import type { BaseTone } from '../../theme.ts';

/** Text of one tone. */
export interface Word {
  readonly text: string;
  readonly tone: BaseTone;
}

const STATES: Readonly<Record<AgentState, { readonly glyph: string; readonly tone: BaseTone }>> = {
  online: { glyph: '●', tone: 'good' },
  offline: { glyph: '○', tone: 'bad' },
  pending: { glyph: '◇', tone: 'notice' },
  inactive: { glyph: '·', tone: 'muted' },
  deleted: { glyph: '✖', tone: 'faint' },
};

/** How it stands with an agent; one that an event told of in part may not say. */
export const stateOf = ({ state, online, is_deleted: deleted }: Agent): AgentState =>
  state ?? (deleted ? 'deleted' : online ? 'online' : 'offline');

/** A state with its glyph. */
export function stateWord(state: AgentState): Word {
  const { glyph, tone } = STATES[state];
  return { text: `${glyph} ${state}`, tone };
}

/** The tone of a state in a chart. */
export const stateTone = (state: AgentState): BaseTone => STATES[state].tone;

const REASONS: Readonly<Record<AgentReason, string>> = {
  registered: 'not reported yet',
  server_restarted: 'given time to report',
  reporting: '',
  lost: 'went silent',
  shut_down: 'shut down',
  never_reported: 'never reported',
  deleted: '',
};

/** Why an agent is in its state; nothing where the state says it all. */
export const reasonWord = ({ reason }: Pick<Agent, 'reason'>): string => (reason === undefined ? '' : REASONS[reason]);

const worst: readonly BaseTone[] = ['bad', 'warning', 'notice', 'muted'];

/** What the agent is busy with; nothing when idle. */
export function progressText({ progress }: Pick<Agent, 'progress'>): string {
  if (progress.current === 0 && progress.detail === '') return '';
  return `${progress.current}%${progress.detail === '' ? '' : ` ${progress.detail}`}`;
}

/** What is remarkable about an agent besides its state: why, a clone, a bad kernel, maintenance. */
export function remarksOf(agent: Agent): Word[] {
  const { bad_kernel: bad, bad_kernel_reason: why = '', cloned, maintenance } = agent;
  const reason = reasonWord(agent);
  return [
    ...(reason === '' ? [] : [{ text: reason, tone: stateOf(agent) === 'offline' ? 'plain' : 'muted' } as const]),
    ...(cloned === true ? [{ text: '▲ cloned', tone: 'bad' } as const] : []),
    ...(bad ? [{ text: `▲ bad kernel${why === '' ? '' : `: ${clean(why)}`}`, tone: 'warning' } as const] : []),
    ...(maintenance === true ? [{ text: '◆ maintenance', tone: 'notice' } as const] : []),
  ];
}

/** The same as one cell, with what the agent is busy with, in the tone of the worst. */
export function remarkCell(agent: Agent): Word {
  const busy = clean(progressText(agent));
  const words: Word[] = [...remarksOf(agent), ...(busy === '' ? [] : [{ text: busy, tone: 'notice' } as const])];
  return {
    text: words.map(({ text }) => text).join(', '),
    tone: worst.find((tone) => words.some((word) => word.tone === tone)) ?? 'plain',
  };
}

const KINDS: Readonly<Record<AgentEventKind, { readonly glyph: string; readonly tone: BaseTone; text: string }>> = {
  registered: { glyph: '◇', tone: 'notice', text: 'registered' },
  online: { glyph: '●', tone: 'good', text: 'online' },
  offline: { glyph: '○', tone: 'bad', text: 'offline' },
  inactive: { glyph: '·', tone: 'muted', text: 'inactive' },
  changed: { glyph: '◆', tone: 'accent', text: 'changed' },
  restarted: { glyph: '◆', tone: 'notice', text: 'agent restarted' },
  rebooted: { glyph: '▲', tone: 'warning', text: 'host rebooted' },
  cloned: { glyph: '▲', tone: 'bad', text: 'cloned' },
  settings: { glyph: '◆', tone: 'accent', text: 'setting' },
  note: { glyph: '◆', tone: 'accent', text: 'note' },
  labels: { glyph: '◆', tone: 'accent', text: 'labels' },
  maintenance: { glyph: '◆', tone: 'notice', text: 'maintenance' },
  operation: { glyph: '◆', tone: 'notice', text: 'operation' },
  deleted: { glyph: '✖', tone: 'bad', text: 'deleted' },
  restored: { glyph: '✓', tone: 'good', text: 'restored' },
};

/** What kind of thing happened. */
export function kindWord(kind: AgentEventKind): Word {
  const { glyph, tone, text } = KINDS[kind];
  return { text: `${glyph} ${text}`, tone };
}

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
  enrollment: 'enrolment token',
  boot_time: 'boot',
};

/** A field of the facts, as people call it. */
export const fieldWord = (field: string): string => FIELDS[field] ?? clean(field.replaceAll('_', ' '));

/** What a change was from and to: `6.1 → 6.2`; nothing where there is nothing to say. */
export function fromTo({ from, to }: Pick<AgentEvent, 'from' | 'to'>): string {
  const words = [from, to].map((text) => clean(text));
  if (words[0] === '') return words[1] ?? '';
  return `${words[0]} → ${words[1] === '' ? 'nothing' : words[1]}`;
}

const isReason = (field: string): field is AgentReason => Object.hasOwn(REASONS, field);

/** What happened, besides its kind: a reason, or what changed from what to what. */
export function eventText({ kind, field, from, to }: Pick<AgentEvent, 'kind' | 'field' | 'from' | 'to'>): string {
  switch (kind) {
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
      return [field === '' ? '' : fieldWord(field), fromTo({ from, to })].filter((text) => text !== '').join(': ');
  }
}
