// Changes on the agents before an error: windows of time, each with the changes that explain it best. Pure.
import type { ChangeStrength, ChangeWindow, ErrlogChanges, MergedChange, SuspectedChange } from '@quarterdeck/core';
import { bar } from '../../components/charts/bars.ts';
import type { Choice } from '../../components/dialog/dialog.ts';
import { paragraph } from '../../components/list/detail-lines.ts';
import { hasData, type Query } from '../../data/query.ts';
import { clean } from '../../text/clean.ts';
import { fullTime, grouped, momentText, plural, shortTime, span } from '../../text/format.ts';
import { type Line, type Run, spread } from '../../text/lines.ts';
import { fit, width as widthOf } from '../../text/width.ts';
import type { BaseTone } from '../../theme.ts';
import { eventText, kindWord } from '../agents/agent-words.ts';
import { queryLines } from '../query-lines.ts';

/** Widest bar, columns. */
const BAR_MAX = 24;
const INDENT = 4;
const LABEL = 9;
/** Width from which both sides share a row, columns. */
const BESIDE_FROM = 72;
/** Hosts named with a change. */
const HOSTS_MAX = 6;
const TONES: Readonly<Record<ChangeStrength, BaseTone>> = { strong: 'bad', likely: 'warning', weak: 'muted' };

/** A change in a few words: `kernel: 6.1 → 6.2`, `host rebooted`. */
export function changeText(change: MergedChange): string {
  const kind = kindWord(change.kind).text.split(' ').slice(1).join(' ');
  const what = eventText(change);
  if (what === '') return kind;
  return change.kind === 'changed' || change.kind === 'settings' ? what : `${kind}: ${what}`;
}

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

function changeLines(change: SuspectedChange, place: number, numbers: number, nowMs: number, width: number): Line[] {
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
    ...change.with.flatMap((other) => indented(`with it · ${clean(changeText(other))}`, width, 'muted')),
    [],
  ];
}

function windowLines(window: ChangeWindow, nowMs: number, width: number): Line[] {
  const { kind, time, from, count, usual, affected, unaffected, unknown, summary, changes } = window;
  const title =
    kind === 'first_seen'
      ? `Before it began, ${fullTime(time * 1000)}`
      : `Before it became more frequent, ${fullTime(time * 1000)}`;
  const often = kind === 'spike' ? `${grouped(count)} in a minute, usually ${Number(usual.toFixed(1))}. ` : '';
  const others =
    unknown === 0 ? '' : ` ${plural(unknown, 'affected source')} ${unknown === 1 ? 'has' : 'have'} no agent.`;
  const about = `${often}${plural(affected, 'agent')} affected, ${grouped(unaffected)} not.${others} Changes since ${momentText(from, nowMs)}.`;
  return [
    ...paragraph(title, width, 'title'),
    ...paragraph(about, width, 'muted'),
    ...summary.split('\n').flatMap((line) => paragraph(clean(line), width)),
    [],
    ...(changes.length === 0
      ? [
          [
            {
              text:
                affected === 0
                  ? 'None of the affected sources has an agent.'
                  : 'Nothing changed on the affected agents.',
              tone: 'muted' as const,
            },
          ],
          [],
        ]
      : changes.flatMap((change, index) => changeLines(change, index + 1, numbersWidth(changes), nowMs, width))),
  ];
}

/** The changes as rows. */
export function changesLines(query: Query<ErrlogChanges>, nowMs: number, width: number): Line[] {
  if (!hasData(query)) return queryLines(query, 'Reading the changes…', width);
  const { windows, complete } = query.data;
  return [
    ...(windows.length === 0
      ? [[{ text: 'The error has no known beginning and no known increase.', tone: 'muted' as const }]]
      : windows.flatMap((window) => windowLines(window, nowMs, width))),
    ...(complete
      ? []
      : paragraph('▲ Incomplete: too many changes, or the history does not reach far enough back.', width, 'warning')),
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
