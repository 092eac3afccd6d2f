// What changed on the agents before an error: windows, and in each the changes that explain it best. Pure.
import type { ChangeWindow, ErrlogChanges, SuspectedChange } from '@quarterdeck/core';
import { bar } from '../../components/charts/bars.ts';
import type { Choice } from '../../components/dialog/dialog.ts';
import { paragraph } from '../../components/list/detail-lines.ts';
import { hasData, type Query } from '../../data/query.ts';
import { clean } from '../../text/clean.ts';
import { fullTime, grouped, momentText, plural, shortTime, span } from '../../text/format.ts';
import { type Line, spread } from '../../text/lines.ts';
import { fit, width as widthOf } from '../../text/width.ts';
import type { BaseTone } from '../../theme.ts';
import { fieldWord, fromTo, kindWord } from '../agents/agent-words.ts';

/** Columns of a bar, where there is room for it. */
const BAR_MAX = 24;
/** Hosts that are named with a change. */
const HOSTS_MAX = 6;
/** A change explains the error well, or may explain it, from these scores on. */
const SCORES = { good: 0.7, fair: 0.3 };

const scoreTone = (score: number): BaseTone =>
  score >= SCORES.good ? 'bad' : score >= SCORES.fair ? 'warning' : 'muted';

/** A change in a few words: `kernel: 6.1 → 6.2`, `host rebooted`. */
export function changeText({ kind, field, from, to }: Pick<SuspectedChange, 'kind' | 'field' | 'from' | 'to'>): string {
  const kindOnly = kindWord(kind).text.split(' ').slice(1).join(' ');
  if (field === '' || ['restarted', 'rebooted', 'online', 'offline'].includes(kind)) return kindOnly;
  const values = fromTo({ from, to });
  const name = kind === 'changed' || kind === 'settings' ? fieldWord(field) : `${kindOnly} ${fieldWord(field)}`;
  return values === '' ? name : `${name}: ${values}`;
}

/** So many of so many, as a bar and in numbers. */
function shareLine(label: string, share: SuspectedChange['affected'], tone: BaseTone, width: number): Line {
  const numbers = `${grouped(share.with)} of ${grouped(share.of)}`;
  const columns = Math.max(0, Math.min(BAR_MAX, width - 4 - 10 - widthOf(numbers) - 1));
  return [
    { text: `    ${fit(label, 10)}`, tone: 'muted' },
    { text: fit(bar(share.with, share.of, columns), columns), tone },
    { text: ` ${numbers}`, tone: share.with === 0 ? 'muted' : 'plain' },
  ];
}

function hostsText({ agents }: SuspectedChange): string {
  const names = agents.slice(0, HOSTS_MAX).map(({ hostname }) => clean(hostname));
  return `${names.join(', ')}${agents.length > names.length ? ', …' : ''}`;
}

function changeLines(change: SuspectedChange, place: number, nowMs: number, width: number): Line[] {
  const { affected, unaffected, score, before, first, last, explanation } = change;
  const tone = scoreTone(score);
  const percent = `${Math.round(score * 100)}%`;
  const when = first === last ? shortTime(first, nowMs) : `${shortTime(first, nowMs)} – ${shortTime(last, nowMs)}`;
  return [
    spread(
      [
        { text: `${fit(String(place), 2, 'right')}  `, tone: 'muted' },
        { text: clean(changeText(change)), tone: 'strong' },
      ],
      [{ text: ` ${percent}`, tone }],
      width,
    ),
    shareLine('have it', affected, tone, width),
    shareLine('do not', unaffected, 'notice', width),
    ...paragraph(`${span(before * 1000)} before it · ${when} · ${hostsText(change)}`, width - 4, 'muted').map(
      (line): Line => [{ text: '    ' }, ...line],
    ),
    ...paragraph(explanation, width - 4).map((line): Line => [{ text: '    ' }, ...line]),
    [],
  ];
}

function windowLines(window: ChangeWindow, nowMs: number, width: number): Line[] {
  const { kind, time, from, count, usual, affected, unaffected, unknown, changes } = window;
  const title =
    kind === 'first_seen'
      ? `Before it began, ${fullTime(time * 1000)}`
      : `Before it became more frequent, ${fullTime(time * 1000)}`;
  const often = kind === 'spike' ? `${grouped(count)} in a minute, usually ${Number(usual.toFixed(1))}. ` : '';
  const others = unknown === 0 ? '' : ` ${plural(unknown, 'source')} with it ${unknown === 1 ? 'is' : 'are'} no agent.`;
  const about = `${often}${plural(affected, 'agent')} ${affected === 1 ? 'has' : 'have'} it, ${grouped(unaffected)} do not.${others} Looked at since ${momentText(from, nowMs)}.`;
  return [
    [{ text: title, tone: 'title' }],
    ...paragraph(about, width, 'muted'),
    [],
    ...(changes.length === 0
      ? [
          [
            {
              text: affected === 0 ? 'None of its sources is a known agent.' : 'Nothing changed on them.',
              tone: 'muted' as const,
            },
          ],
          [],
        ]
      : changes.flatMap((change, index) => changeLines(change, index + 1, nowMs, width))),
  ];
}

/** All of it as rows. */
export function changesLines(query: Query<ErrlogChanges>, nowMs: number, width: number): Line[] {
  if (!hasData(query)) {
    return query.status === 'failed'
      ? paragraph(query.failure.message, width, 'bad')
      : [[{ text: 'Looking for what changed…', tone: 'muted' }]];
  }
  const { windows, complete } = query.data;
  return [
    ...(windows.length === 0
      ? [[{ text: 'There is no time at which it began or became more frequent.', tone: 'muted' as const }]]
      : windows.flatMap((window) => windowLines(window, nowMs, width))),
    ...(complete
      ? []
      : paragraph(
          '▲ Not everything could be looked at: more changed, or the history does not reach back.',
          width,
          'warning',
        )),
  ];
}

/** The agents that are named, each once, the change they made beside them. */
export function agentChoices({ windows }: ErrlogChanges, nowMs: number): Choice[] {
  const choices = new Map<string, Choice>();
  for (const change of windows.flatMap(({ changes }) => changes)) {
    for (const { id, hostname, time } of change.agents) {
      if (choices.has(String(id))) continue;
      choices.set(String(id), {
        id: String(id),
        text: clean(hostname),
        group: clean(changeText(change)),
        note: shortTime(time, nowMs),
      });
    }
  }
  return [...choices.values()];
}
