// A change from outside: its facts, and its effects on errors. Pure.

import { type Change, type ChangeEffect, type ChangeEffects, levelName } from '@quarterdeck/core';
import { changeLabels, hostsText, lackSentence, valuesText } from '@quarterdeck/views/changes';
import { hasData, type Query } from '@quarterdeck/views/reads';
import { clean, fullTime, grouped, momentText, plural } from '@quarterdeck/views/text';
import { type Fact, factLines, heading, paragraph, queryLines } from '../../components/list/detail-lines.ts';
import { fit, width as widthOf } from '../../text/width.ts';
import { type Line, lineWidth } from '../../theme/lines.ts';
import { type BaseTone, levelGlyph, levelTone } from '../../theme/theme.ts';
import { timeAgo } from '../list/moments.ts';

export function changeFacts(change: Change, nowMs: number, width: number): Line[] {
  const { kind, name, time, service, url, author, created, created_by: by, agents, labels } = change;
  const optional = (label: string, value: string): Fact[] => (value === '' ? [] : [{ label, value: clean(value) }]);
  return factLines(
    [
      {
        label: 'Change',
        value: clean([`${kind} ${name}`, valuesText(change)].filter((text) => text !== '').join(': ')),
        tone: 'strong',
      },
      { label: 'Time', value: timeAgo(time, nowMs) },
      ...optional('Author', author),
      ...optional('Service', service),
      { label: 'Concerns', value: `${clean(hostsText(change))} · ${plural(agents, 'agent')}` },
      ...(Object.keys(labels).length === 0 ? [] : optional('Labels', changeLabels(change))),
      ...optional('Page', url),
      { label: 'Reported', value: clean(`${fullTime(created * 1000)} by ${by}`) },
    ],
    width,
  );
}

interface Word {
  readonly text: string;
  readonly tone: BaseTone;
}

const VERDICTS: Readonly<Record<ChangeEffects['verdict'], Word & { readonly meaning: string }>> = {
  worse: {
    text: '▲ worse',
    tone: 'bad',
    meaning: 'an error of level ERROR or worse is new or more frequent on the hosts that made the change',
  },
  no_difference: {
    text: '✓ no difference',
    tone: 'good',
    meaning: 'no error of level ERROR or worse is new or more frequent on the hosts that made the change',
  },
  too_early: {
    text: '◇ not certain yet',
    tone: 'notice',
    meaning: 'whether errors got worse is unknown',
  },
};

const KINDS: Readonly<Record<ChangeEffect['verdict'], Word>> = {
  new: { text: '▲ new', tone: 'bad' },
  more: { text: '▲ more', tone: 'warning' },
  less: { text: '✓ less', tone: 'good' },
};
const KIND_WIDTH = 6;
const INDENT = '  ';
const GAP = '   ';

/** The occurrences before and after on one side: `0 → 412`. */
const countsText = (before: number, after: number): string => `${grouped(before)} → ${grouped(after)}`;

function effectLines(effect: ChangeEffect, width: number): Line[] {
  const { text, tone } = KINDS[effect.verdict];
  const service = effect.service === '' ? [] : [{ text: `  ${clean(effect.service)}`, tone: 'muted' as const }];
  const ownText = countsText(effect.before, effect.after);
  const own: Line = [
    { text: `${INDENT}these hosts `, tone: 'muted' },
    { text: ownText, tone: effect.verdict === 'less' ? 'good' : 'strong' },
  ];
  const others = `other hosts ${countsText(effect.others_before, effect.others_after)}`;
  const isBeside = lineWidth(own) + GAP.length + widthOf(others) <= width;
  return [
    [
      { text: `${fit(text, KIND_WIDTH)}  `, tone },
      { text: `${levelGlyph(effect.level)} ${levelName(effect.level)}`, tone: levelTone(effect.level) },
      ...service,
    ],
    ...paragraph(effect.log.slice(0, 400), width - INDENT.length)
      .slice(0, 2)
      .map((line): Line => [{ text: INDENT }, ...line]),
    ...(isBeside
      ? [[...own, { text: `${GAP}${others}`, tone: 'muted' as const }]]
      : [own, [{ text: `${INDENT}${others}`, tone: 'muted' as const }]]),
  ];
}

function comparedText({ hosts, others, from, time, until }: ChangeEffects, nowMs: number): string {
  const [start, at, end] = [from, time, until].map((moment) => momentText(moment, nowMs));
  const span = `${start}–${at} with ${at}–${end}`;
  if (others === 0) return `Compared ${span}, on ${plural(hosts, 'host')} that made it; there are no other hosts.`;
  return `Compared ${span}, on ${plural(hosts, 'host')} that made it and ${grouped(others)} that did not.`;
}

export function effectsLines(query: Query<ChangeEffects>, nowMs: number, width: number): Line[] {
  if (!hasData(query)) return [heading('Effects'), ...queryLines(query, 'Comparing the errors…', width)];
  const { data } = query;
  const { text, tone, meaning } = VERDICTS[data.verdict];
  return [
    [
      { text: 'Effects  ', tone: 'strong' },
      { text, tone },
    ],
    ...paragraph(`${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}.`, width, 'muted'),
    ...paragraph(comparedText(data, nowMs), width, 'muted'),
    ...(data.missing.length === 0 ? [] : paragraph(`▲ ${lackSentence(data)}`, width, 'warning')),
    [],
    ...(data.errors.length === 0
      ? [[{ text: 'No error became new, more or less frequent.', tone: 'muted' as const }]]
      : data.errors.flatMap((effect) => effectLines(effect, width))),
  ];
}
