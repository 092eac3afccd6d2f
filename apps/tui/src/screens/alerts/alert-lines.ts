// The details of an alert: first what a message says, in its order, then the alert itself. Pure.

import type { Alert, AlertInstance } from '@quarterdeck/core';
import {
  type AlertPart,
  alertParts,
  alertState,
  alertStateText,
  alertTitle,
  detailWords,
  kindText,
} from '@quarterdeck/views/alerts';
import { hasData, type Query } from '@quarterdeck/views/reads';
import { clean, grouped, plural, signed } from '@quarterdeck/views/text';
import { type Fact, factLines, heading, queryLines } from '../../components/list/detail-lines.ts';
import { cut } from '../../text/width.ts';
import type { Line } from '../../theme/lines.ts';
import type { BaseTone } from '../../theme/theme.ts';
import { timeAgo } from '../list/moments.ts';

/** Alerts below this one that the details name. */
const UNDER_MAX = 20;

const STRENGTHS = { strong: 'bad', likely: 'warning', weak: 'muted' } as const;

/** Everything that the details show. */
export interface AlertContext {
  /** The alert with its evidence. */
  readonly read: Query<AlertInstance>;
  /** The alerts of the list. */
  readonly all: readonly Alert[];
  readonly nowMs: number;
}

function messagesText({ messages, fired, parent_id: parent }: Alert, nowMs: number): string {
  if (messages === 0 || fired === null) return parent === null ? 'none' : 'none; the alert above is sent instead';
  return `${plural(messages, 'message')}, first ${timeAgo(fired, nowMs)}`;
}

function toneOf({ id }: AlertPart, index: number, { cause }: Alert): BaseTone | undefined {
  if (id === 'what') return 'strong';
  if (id === 'incomplete') return 'warning';
  if (id === 'links') return 'notice';
  if (id !== 'cause') return undefined;
  const strength = cause?.strength ?? null;
  return index > 0 || strength === null ? 'muted' : STRENGTHS[strength];
}

/** The facts of parts: the values of one part stand below each other. */
const partFacts = (parts: readonly AlertPart[], alert: Alert): Fact[] =>
  parts.flatMap((part) =>
    part.values.map(
      (value, index): Fact => ({ label: index === 0 ? part.label : '', value, tone: toneOf(part, index, alert) }),
    ),
  );

/** The alerts that are grouped under an alert. */
function underLines(alert: Alert, all: readonly Alert[]): Line[] {
  if (alert.under === 0) return [];
  const shown = all.filter(({ parent_id: id }) => id === alert.id).slice(0, UNDER_MAX);
  const more = alert.under - shown.length;
  return [
    [],
    heading(`Grouped under it: ${plural(alert.under, 'alert')}`),
    ...shown.map((one): Line => {
      const state = signed(alertState(one));
      return [{ text: `${state.text.slice(0, 1)} `, tone: state.tone }, { text: alertTitle(one) }];
    }),
    ...(more > 0 ? [[{ text: `and ${grouped(more)} more`, tone: 'muted' as const }]] : []),
  ];
}

/** The alert itself: its state, rule and messages. */
function recordFacts(alert: Alert, all: readonly Alert[], nowMs: number): (Fact | null)[] {
  const above = all.find(({ id }) => id === alert.parent_id);
  return [
    { label: 'State', value: alertStateText(alert), tone: alertState(alert).tone },
    { label: 'Title', value: alertTitle(alert) },
    { label: 'Rule', value: clean(alert.rule) },
    { label: 'Fires if', value: kindText(alert.kind) },
    { label: 'Messages', value: messagesText(alert, nowMs) },
    above === undefined ? null : { label: 'Grouped under', value: alertTitle(above) },
    { label: 'Number', value: String(alert.id) },
  ];
}

export function alertLines(alert: Alert, { read, all, nowMs }: AlertContext, width: number): Line[] {
  // The row of the list may be newer than what was read of it.
  const parts = alertParts(hasData(read) ? { ...read.data, ...alert, cause: read.data.cause } : alert, nowMs);
  const at = parts.findIndex(({ id }) => id === 'lines');
  const [before, lines, after] = at < 0 ? [parts, undefined, []] : [parts.slice(0, at), parts[at], parts.slice(at + 1)];
  // The parts have the fields of an error already.
  const fields = hasData(read) && read.data.what !== null ? [] : detailWords(alert);
  return [
    ...factLines(partFacts(before, alert), width),
    ...(hasData(read) ? [] : queryLines(read, 'Reading what is known…', width)),
    ...(lines === undefined
      ? []
      : [
          [],
          heading(lines.label),
          ...lines.values.map((text): Line => [{ text: cut(text, width), tone: 'muted' }]),
          [],
        ]),
    ...factLines(partFacts(after, alert), width),
    [],
    ...factLines(recordFacts(alert, all, nowMs), width),
    ...(fields.length === 0 ? [] : [[], heading('Details'), ...factLines(fields, width)]),
    ...underLines(alert, all),
  ];
}
