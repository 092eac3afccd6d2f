// Changes on the agents before an error: windows of time, each with the changes that explain it best. Pure.
import type { ChangeStrength, ChangeWindow, ErrlogChanges, SuspectedChange } from '@quarterdeck/core';
import {
  changeText,
  examinedText,
  nothingNamed,
  summaryLines,
  suspectsIncomplete,
  suspectsSubject,
  unknownSources,
} from '@quarterdeck/views/changes';
import type { Choice } from '@quarterdeck/views/questions';
import { hasData, type Query } from '@quarterdeck/views/reads';
import { clean, fullTime, grouped, plural, shortTime, span, zoneName } from '@quarterdeck/views/text';
import { bar } from '../../components/charts/bars.ts';
import { paragraph, queryLines } from '../../components/list/detail-lines.ts';
import { type KeyOf, pressTo } from '../../keys/key-hints.ts';
import { fit, width as widthOf } from '../../text/width.ts';
import { type Line, type Run, spread } from '../../theme/lines.ts';
import type { BaseTone } from '../../theme/theme.ts';

/** Widest bar, columns. */
const BAR_MAX = 24;
const INDENT = 4;
const LABEL = 9;
/** Width from which both sides share a row, columns. */
const BESIDE_FROM = 72;
/** Hosts named with a change. */
const HOSTS_MAX = 6;
const TONES: Readonly<Record<ChangeStrength, BaseTone>> = { strong: 'bad', likely: 'warning', weak: 'muted' };

const LABELS = { affected: 'affected', unaffected: 'others' } as const;

const shareText = ({ with: n, of }: SuspectedChange['affected']): string => `${grouped(n)} of ${grouped(of)}`;

/** Width of the numbers of a window, so that its bars are aligned. */
const numbersWidth = (changes: readonly SuspectedChange[]): number =>
  Math.max(
    0,
    ...changes.flatMap(({ affected, unaffected }) => [affected, unaffected].map((s) => widthOf(shareText(s)))),
  );

/** The shares of both sides as bars and numbers, beside each other where there is room. */
function shareLines({ affected, unaffected, strength }: SuspectedChange, numbers: number, width: number): Line[] {
  const wide = width >= BESIDE_FROM;
  const room = wide ? Math.floor((width - INDENT) / 2) : width - INDENT;
  const columns = Math.max(0, Math.min(BAR_MAX, room - LABEL - numbers - 3));
  const side = (label: string, share: SuspectedChange['affected'], tone: BaseTone): Run[] => [
    { text: fit(label, LABEL), tone: 'muted' },
    { text: fit(bar(share.with, share.of, columns), columns), tone },
    { text: ` ${fit(shareText(share), numbers)}  `, tone: share.with === 0 ? 'muted' : 'plain' },
  ];
  const indent = { text: ' '.repeat(INDENT) };
  const sides = [side(LABELS.affected, affected, TONES[strength]), side(LABELS.unaffected, unaffected, 'notice')];
  return wide ? [[indent, ...sides.flat()]] : sides.map((runs) => [indent, ...runs]);
}

function hostsText({ agents }: SuspectedChange): string {
  const names = agents.slice(0, HOSTS_MAX).map(({ hostname }) => clean(hostname));
  return `${names.join(', ')}${agents.length > names.length ? ', …' : ''}`;
}

const indented = (text: string, width: number, tone?: BaseTone): Line[] =>
  paragraph(text, width - INDENT, tone).map((line): Line => [{ text: ' '.repeat(INDENT) }, ...line]);

/** The context of changes on the screen. */
export interface ChangesContext {
  /** Name of the source of the selected entry. */
  readonly name: string;
  /** Names the key that opens what is behind a change. */
  readonly keyOf: KeyOf;
  readonly nowMs: number;
}

/** The effects and changed lines behind a change, and the key that shows them. */
function linkText({ change_id: id, url, has_diff }: SuspectedChange, keyOf: KeyOf): string[] {
  const [show] = pressTo(keyOf('errlog.goChange'), 'see').map((text) => text.replace(/\.$/, ''));
  if (show === undefined) return [];
  return [
    ...(id > 0 ? [`reported from outside${url === '' ? '' : ` · ${clean(url)}`} · ${show} its effects`] : []),
    ...(has_diff ? [`${show} its changed lines`] : []),
  ];
}

function changeLines(
  change: SuspectedChange,
  place: number,
  numbers: number,
  { keyOf, nowMs }: ChangesContext,
  width: number,
): Line[] {
  const { strength, before, first, last } = change;
  // Agents report a change with a delay, and the error may have occurred by then.
  const lead = before === 0 ? 'reported as it began' : `${span(before * 1000)} before it`;
  const when = first === last ? shortTime(first, nowMs) : `${shortTime(first, nowMs)} – ${shortTime(last, nowMs)}`;
  return [
    spread(
      [
        { text: `${fit(String(place), 2, 'right')}  `, tone: 'muted' },
        { text: clean(changeText(change)), tone: 'strong' },
      ],
      [{ text: ` ${strength}`, tone: TONES[strength] }],
      width,
    ),
    ...shareLines(change, numbers, width),
    ...indented(`${lead} · ${when} · ${hostsText(change)}`, width, 'muted'),
    ...linkText(change, keyOf).flatMap((text) => indented(text, width, 'notice')),
    ...change.with.flatMap((other) => indented(`with it · ${clean(changeText(other))}`, width, 'muted')),
    [],
  ];
}

/** True for a window of which there is nothing to say. */
const isEmpty = ({ changes, vitals }: ChangeWindow): boolean => changes.length === 0 && vitals.length === 0;

/** Windows without a change: each reason once with the next step, then the times that were examined. */
function nothingLines(windows: readonly ChangeWindow[], { keyOf, nowMs }: ChangesContext, width: number): Line[] {
  const reasons = windows.map((window) => {
    const hasAgents = window.affected > 0;
    const step = pressTo(
      keyOf(hasAgents ? 'errlog.lines' : 'app.goEnrollment'),
      hasAgents ? 'read the lines of the error' : 'enroll an agent',
    );
    return [nothingNamed(window), ...step].join(' ');
  });
  return [
    ...[...new Set(reasons)].flatMap((reason) => paragraph(reason, width)),
    ...windows.flatMap((window) => paragraph(examinedText(window, nowMs), width, 'muted')),
  ];
}

function windowLines(window: ChangeWindow, context: ChangesContext, width: number): Line[] {
  const { nowMs } = context;
  const { kind, time, count, usual, affected, unaffected, unknown, summary, changes } = window;
  const title =
    kind === 'first_seen'
      ? `Before it began, ${fullTime(time * 1000)}`
      : `Before it became more frequent, ${fullTime(time * 1000)}`;
  const often = kind === 'spike' ? `${grouped(count)} in a minute, usually ${Number(usual.toFixed(1))}. ` : '';
  const about = `${often}${plural(affected, 'agent')} affected, ${grouped(unaffected)} not.${unknownSources(unknown)}`;
  return [
    ...paragraph(title, width, 'title'),
    ...paragraph(examinedText(window, nowMs), width, 'muted'),
    ...paragraph(about, width, 'muted'),
    ...summaryLines(summary).flatMap((line) => paragraph(clean(line), width)),
    [],
    ...changes.flatMap((change, index) => changeLines(change, index + 1, numbersWidth(changes), context, width)),
  ];
}

/** The changes before an error as rows. */
export function changesLines(query: Query<ErrlogChanges>, context: ChangesContext, width: number): Line[] {
  const { name, nowMs } = context;
  if (!hasData(query)) return queryLines(query, 'Reading the changes…', width);
  const { windows, complete } = query.data;
  return [
    ...paragraph(`${suspectsSubject(query.data, name)} Times are in ${zoneName(nowMs)}.`, width, 'strong'),
    ...(complete ? [] : paragraph(`▲ ${suspectsIncomplete(query.data, nowMs)}`, width, 'warning')),
    ...(windows.length === 0
      ? [[{ text: 'The error has no known beginning and no known increase.', tone: 'muted' as const }]]
      : [
          ...windows.filter((window) => !isEmpty(window)).flatMap((window) => windowLines(window, context, width)),
          ...nothingLines(windows.filter(isEmpty), context, width),
        ]),
  ];
}

/** The named agents, each once, grouped by their change. */
export function agentChoices({ windows }: ErrlogChanges, nowMs: number): Choice[] {
  const choices = new Map<string, Choice>();
  for (const change of windows.flatMap(({ changes }) => changes)) {
    for (const { id, hostname, time } of change.agents) {
      if (choices.has(String(id))) continue;
      const group = clean(changeText(change));
      choices.set(String(id), { id: String(id), text: clean(hostname), group, note: shortTime(time, nowMs) });
    }
  }
  return [...choices.values()];
}

/** The unchanged hostname of an agent, for a search. */
export const hostOf = ({ windows }: ErrlogChanges, id: string): string | undefined =>
  windows
    .flatMap(({ changes }) => changes)
    .flatMap(({ agents }) => agents)
    .find((agent) => String(agent.id) === id)?.hostname;
