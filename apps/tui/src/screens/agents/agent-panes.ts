// The panes of an agent's details: summary, system, settings, history, error logs, JSON. Pure.
import type { AgentEvent } from '@quarterdeck/core';
import { levelName } from '@quarterdeck/core';
import type { Agent, ErrlogEntry } from '@quarterdeck/sdk';
import { type Fact, factLines, paragraph } from '../../components/list/detail-lines.ts';
import type { AgentLogs } from '../../data/agents.ts';
import { hasData, type Query } from '../../data/query.ts';
import { clean, cleanJson } from '../../text/clean.ts';
import { age, count, fullTime, plural, shortTime, span } from '../../text/format.ts';
import type { Line, Run } from '../../text/lines.ts';
import { fit, width as widthOf, wrap } from '../../text/width.ts';
import { levelGlyph, levelTone } from '../../theme.ts';
import { queryLines } from '../query-lines.ts';
import { labelsText } from './agent-labels.ts';
import { eventText, kindWord, progressText, reasonWord, remarksOf, stateOf, stateWord } from './agent-words.ts';

/** The panes, in their order. */
export const AGENT_PANES = ['summary', 'system', 'settings', 'history', 'logs', 'raw'] as const;

/** Name of a pane. */
export type AgentPane = (typeof AGENT_PANES)[number];

/** The pane `by` steps further; the last one is followed by the first. */
export function stepPane(pane: AgentPane, by: number): AgentPane {
  const all = AGENT_PANES.length;
  return AGENT_PANES[(((AGENT_PANES.indexOf(pane) + by) % all) + all) % all] ?? 'summary';
}

/** The data of one agent that its open pane needs. */
export interface AgentReads {
  readonly history: Query<readonly AgentEvent[]>;
  readonly logs: Query<AgentLogs>;
  /** False without the permission to see error logs. */
  readonly maySeeLogs: boolean;
}

const moment = (seconds: number, nowMs: number): string =>
  seconds === 0 ? '' : `${fullTime(seconds * 1000)} (${age(nowMs / 1000 - seconds)} ago)`;
const yesNo = (value: boolean): string => (value ? 'yes' : 'no');

/** The names of the panes with the present one marked; only that one where there is no room. */
export function paneTabs(pane: AgentPane, width: number): Line {
  const all = AGENT_PANES.flatMap((name): Run[] => [
    name === pane ? { text: `[${name}]`, tone: 'title' } : { text: ` ${name} `, tone: 'muted' },
  ]);
  const needed = all.reduce((sum, { text }) => sum + widthOf(text), 0);
  if (needed <= width) return all;
  return [
    { text: `[${pane}]`, tone: 'title' },
    { text: `  ${AGENT_PANES.indexOf(pane) + 1} of ${AGENT_PANES.length}`, tone: 'muted' },
  ];
}

function stateFact(agent: Agent, nowMs: number): Fact {
  const { text, tone } = stateWord(stateOf(agent));
  const since = agent.state_since ?? 0;
  const words = [text, reasonWord(agent), since === 0 ? '' : `for ${span(nowMs - since * 1000)}`];
  return { label: 'State', value: words.filter((word) => word !== '').join(', '), tone };
}

function shipperText({ shipper }: Agent): string {
  if (shipper == null) return '';
  const { files, lines, bytes_waiting: waiting, lines_dropped: dropped, lines_refused: refused } = shipper;
  return [
    `${plural(files, 'file')}, ${plural(lines, 'line')}`,
    ...(waiting > 0 ? [`${count(waiting)} bytes waiting`] : []),
    ...(dropped > 0 ? [`${plural(dropped, 'line')} dropped`] : []),
    ...(refused > 0 ? [`${plural(refused, 'line')} refused`] : []),
  ].join(', ');
}

function summaryFacts(agent: Agent, nowMs: number): Fact[] {
  const { system_version: system, interval, labels = {}, shipper } = agent;
  const remarks = remarksOf({ ...agent, reason: undefined });
  return [
    stateFact(agent, nowMs),
    { label: 'Last reported', value: moment(agent.last_reported, nowMs) || 'never' },
    ...(interval === undefined ? [] : [{ label: 'Reports every', value: `${interval} s` }]),
    ...remarks.map(({ text, tone }): Fact => ({ label: 'Warning', value: text, tone })),
    { label: 'Progress', value: clean(progressText(agent)) || 'idle' },
    { label: 'IP', value: clean(agent.ip) },
    { label: 'Environment', value: clean(agent.env) },
    { label: 'Distribution', value: clean(system.kernel_distro) },
    {
      label: 'Kernel',
      value: `${clean(system.kernel)}${agent.bad_kernel ? ' (marked as bad)' : ''}`,
      ...(agent.bad_kernel ? { tone: 'warning' as const } : {}),
    },
    { label: 'Agent version', value: agent.package.version === 0 ? '' : String(agent.package.version) },
    { label: 'Labels', value: clean(labelsText(labels)) },
    { label: 'Note', value: clean(agent.note) },
    ...(shipper === undefined ? [] : [{ label: 'Log shipping', value: shipperText(agent) }]),
    { label: 'Registered', value: moment(agent.created, nowMs) },
  ];
}

function systemFacts(agent: Agent, nowMs: number): Fact[] {
  const { system_version: system, dependency, boot_time: booted = 0, started = 0, package: own } = agent;
  return [
    { label: 'Node', value: clean(agent.node_id) },
    { label: 'IP', value: clean(agent.ip) },
    { label: 'System', value: clean(agent.system_name) },
    { label: 'Distribution', value: clean(system.kernel_distro) },
    { label: 'Kernel', value: clean(system.kernel) },
    { label: 'Kernel package', value: clean(system.kernel_package) },
    { label: 'Kernel build', value: clean(system.kernel_bid) },
    { label: 'C library', value: clean(system.libc) },
    { label: 'SystemTap', value: clean(dependency.stap_version) },
    { label: 'ODB', value: clean(dependency.odb_version) },
    { label: 'Agent version', value: own.version === 0 ? '' : String(own.version) },
    { label: 'Agent built', value: own.timestamp === 0 ? '' : fullTime(own.timestamp * 1000) },
    { label: 'Host booted', value: booted === 0 ? '' : `${moment(booted, nowMs)}, by the clock of the host` },
    { label: 'Agent started', value: started === 0 ? '' : `${moment(started, nowMs)}, by the clock of the host` },
  ];
}

function settingsFacts(agent: Agent, nowMs: number): Fact[] {
  const { maintenance = false, labels = {}, enrollment_id: enrollment = 0 } = agent;
  return [
    { label: 'Transient events', value: yesNo(agent.catch_transient_event) },
    { label: 'Runs tools itself', value: yesNo(agent.autorun_tools) },
    {
      label: 'Maintenance',
      value: maintenance ? 'yes: no alerts when it goes and comes back' : 'no',
      ...(maintenance ? { tone: 'notice' as const } : {}),
    },
    { label: 'Labels', value: clean(labelsText(labels)) },
    { label: 'Note', value: clean(agent.note) },
    { label: 'Enrolled with', value: enrollment === 0 ? 'an API token' : `enrolment token ${enrollment}` },
    { label: 'Registered', value: moment(agent.created, nowMs) },
    { label: 'Changed', value: moment(agent.modified, nowMs) },
    { label: 'Id', value: String(agent.id) },
  ];
}

/** Widths of time and kind, columns. */
const HISTORY = { time: 14, kind: 19 };
/** Indent of a text below its kind: the width of the glyph. */
const BELOW = 2;

/** An event of the history. A long text is wrapped beside its kind, or below it where that takes fewer rows. */
function eventLines(event: AgentEvent, nowMs: number, width: number): Line[] {
  const { time, kind, actor, has_diff: hasDiff } = event;
  const word = kindWord(kind);
  const by = actor === '' ? '' : `by ${clean(actor)}`;
  const what = [eventText(event), hasDiff ? '(changed lines)' : '', by].filter((text) => text !== '').join('  ');
  const rows = wrap(what, Math.max(8, width - HISTORY.time - HISTORY.kind));
  const below = rows.length > 1 ? wrap(what, Math.max(8, width - HISTORY.time - BELOW)) : [];
  if (below.length > 0 && below.length < rows.length) {
    return [
      [
        { text: fit(shortTime(time, nowMs), HISTORY.time), tone: 'muted' },
        { text: word.text, tone: word.tone },
      ],
      ...below.map((text): Line => [{ text: ' '.repeat(HISTORY.time + BELOW) }, { text }]),
    ];
  }
  return (rows.length === 0 ? [''] : rows).map(
    (text, index): Line => [
      { text: fit(index === 0 ? shortTime(time, nowMs) : '', HISTORY.time), tone: 'muted' },
      { text: fit(index === 0 ? word.text : '', HISTORY.kind), tone: word.tone },
      { text },
    ],
  );
}

function historyLines(query: AgentReads['history'], nowMs: number, width: number): Line[] {
  if (!hasData(query)) return queryLines(query, 'Reading the history…', width);
  if (query.data.length === 0) return [[{ text: 'No history.', tone: 'muted' }]];
  return query.data.flatMap((event) => eventLines(event, nowMs, width));
}

const logLine = ({ log_time: at, level, count: times, log }: ErrlogEntry, nowMs: number): Line => [
  { text: fit(shortTime(at, nowMs), 14), tone: 'muted' },
  { text: `${levelGlyph(level)} ${fit(levelName(level), 7)}`, tone: levelTone(level) },
  { text: `${fit(count(times), 5, 'right')}  ` },
  { text: clean(log.slice(0, 400)) },
];

function logsLines({ logs: query, maySeeLogs }: AgentReads, nowMs: number, width: number): Line[] {
  if (!maySeeLogs) return [[{ text: 'You have no permission to see error logs.', tone: 'muted' }]];
  if (!hasData(query)) return queryLines(query, 'Reading its error logs…', width);
  const { sources, rows } = query.data;
  if (sources.length === 0) return [[{ text: 'This host has sent no error logs.', tone: 'muted' }]];
  if (rows.length === 0) return [[{ text: 'No errors.', tone: 'good' }]];
  return rows.map((row) => logLine(row, nowMs));
}

/** A pane as rows, below the names of all panes. */
export function agentLines(pane: AgentPane, agent: Agent, reads: AgentReads, nowMs: number, width: number): Line[] {
  const lines = (): Line[] => {
    switch (pane) {
      case 'summary':
        return factLines(summaryFacts(agent, nowMs), width);
      case 'system':
        return factLines(systemFacts(agent, nowMs), width);
      case 'settings':
        return factLines(settingsFacts(agent, nowMs), width);
      case 'history':
        return historyLines(reads.history, nowMs, width);
      case 'logs':
        return logsLines(reads, nowMs, width);
      case 'raw':
        return paragraph(cleanJson(JSON.stringify(agent, null, 2)), width);
    }
  };
  return [paneTabs(pane, width), [], ...lines()];
}
