// The panes of an agent's details: summary, system, settings, history, vitals, error logs, JSON. Pure.

import type { AgentEvent } from '@quarterdeck/core';
import { levelName } from '@quarterdeck/core';
import type { Agent, ErrlogEntry } from '@quarterdeck/sdk';
import type { AgentLogs, AgentVitalsRead } from '@quarterdeck/views/agents';
import { eventText, kindWord, sinceText } from '@quarterdeck/views/agents';
import { hasData, type Query } from '@quarterdeck/views/reads';
import { clean, cleanJson, count, shortTime, signed } from '@quarterdeck/views/text';
import { paragraph, queryLines } from '../../components/list/detail-lines.ts';
import { fit, width as widthOf, wrap } from '../../text/width.ts';
import type { Glyphs } from '../../theme/glyphs.ts';
import type { Line, Run } from '../../theme/lines.ts';
import { levelGlyph, levelTone } from '../../theme/theme.ts';
import { agentFactLines, settingsFacts, summaryFacts, systemFacts } from './agent-facts.ts';
import { vitalsLines } from './agent-vitals.ts';

/** The panes, in their order. */
export const AGENT_PANES = ['summary', 'system', 'settings', 'history', 'vitals', 'logs', 'raw'] as const;

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
  readonly vitals: Query<AgentVitalsRead>;
  readonly logs: Query<AgentLogs>;
  /** False without the permission to see error logs. */
  readonly maySeeLogs: boolean;
}

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

/** Widths of time and kind, columns. */
const HISTORY = { time: 14, kind: 19 };
/** Indent of a text below its kind: the width of the glyph. */
const BELOW = 2;

/** An event of the history. A long text is wrapped beside its kind, or below it where that takes fewer rows. */
function eventLines(event: AgentEvent, nowMs: number, width: number): Line[] {
  const { time, kind, actor, has_diff: hasDiff } = event;
  const word = signed(kindWord(kind));
  const by = actor === '' ? '' : `by ${clean(actor)}`;
  const what = [eventText(event), hasDiff ? '(changed lines)' : '', sinceText(event, nowMs), by]
    .filter((text) => text !== '')
    .join('  ');
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

/** Data and glyphs of a pane, and the present time. */
export interface AgentPaneContext {
  readonly reads: AgentReads;
  readonly glyphs: Glyphs;
  readonly nowMs: number;
}

/** A pane as rows, below the names of all panes. */
export function agentLines(
  pane: AgentPane,
  agent: Agent,
  { reads, glyphs, nowMs }: AgentPaneContext,
  width: number,
): Line[] {
  const lines = (): Line[] => {
    switch (pane) {
      case 'summary':
        return agentFactLines(agent, summaryFacts(agent, nowMs), width);
      case 'system':
        return agentFactLines(agent, systemFacts(agent, nowMs), width);
      case 'settings':
        return agentFactLines(agent, settingsFacts(agent, nowMs), width);
      case 'history':
        return historyLines(reads.history, nowMs, width);
      case 'vitals':
        return vitalsLines(reads.vitals, glyphs, nowMs, width);
      case 'logs':
        return logsLines(reads, nowMs, width);
      case 'raw':
        return paragraph(cleanJson(JSON.stringify(agent, null, 2)), width);
    }
  };
  return [paneTabs(pane, width), [], ...lines()];
}
