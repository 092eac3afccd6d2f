// Columns, facets and details of the enrollment tokens. Pure.
import type { Enrollment } from '@quarterdeck/core';
import { age, clean, fullTime, grouped } from '@quarterdeck/views/text';
import { expiryCell, expiryText } from '@quarterdeck/views/tokens';
import type { Column } from '../../components/list/column.ts';
import { factLines } from '../../components/list/detail-lines.ts';
import type { Facet } from '../../components/list/list-filter.ts';
import type { Line } from '../../theme/lines.ts';
import type { BaseTone } from '../../theme/theme.ts';
import { momentColumn, widest, wordColumn } from '../list/columns.ts';
import { labelsText } from '../shared/agent-labels.ts';

/** The cleaned name of a token, or `(no name)`. */
export const enrollmentName = ({ name }: Pick<Enrollment, 'name'>): string => clean(name) || '(no name)';

/** The state of a token, which may have expired since the answer. */
export const enrollmentState = ({ state, expire }: Enrollment, nowMs: number): Enrollment['state'] =>
  state === 'active' && expire !== 0 && expire <= nowMs ? 'expired' : state;

const STATES: Readonly<Record<Enrollment['state'], { readonly text: string; readonly tone: BaseTone }>> = {
  active: { text: '● active', tone: 'good' },
  expired: { text: '✖ expired', tone: 'bad' },
  used_up: { text: '○ used up', tone: 'muted' },
};

const stateCell = (token: Enrollment, nowMs: number) => STATES[enrollmentState(token, nowMs)];

/** Uses and their limit: `3 of 10`, or `3` without a limit. */
export const usesText = ({ used, uses }: Enrollment): string =>
  uses === 0 ? grouped(used) : `${grouped(used)} of ${grouped(uses)}`;

export function enrollmentColumns(tokens: readonly Enrollment[], nowMs: number): Column<Enrollment>[] {
  const names = widest(tokens, enrollmentName, 12, 60);
  const labels = widest(tokens, (token) => labelsText(token.labels), 12, 60);
  const expires = widest(tokens, ({ expire }) => expiryCell(expire, nowMs).text, 7, 40);
  return [
    { id: 'state', title: 'State', width: 9, pinned: true, cell: (token) => stateCell(token, nowMs) },
    {
      id: 'name',
      title: 'Name',
      searched: true,
      width: Math.min(names, 20),
      grow: 2,
      max: names,
      cell: (token) => ({
        text: enrollmentName(token),
        ...(token.name === '' ? { tone: 'muted' as const } : {}),
      }),
    },
    {
      id: 'uses',
      title: 'Used',
      width: 9,
      align: 'right',
      cell: (token) => ({ text: usesText(token) }),
      value: ({ used }) => -used,
      number: ({ used }) => used,
    },
    {
      id: 'expires',
      title: 'Expires',
      width: expires,
      cell: ({ expire }) => expiryCell(expire, nowMs),
      value: ({ expire }) => (expire === 0 ? Number.MAX_SAFE_INTEGER : expire),
      moment: ({ expire }) => expire / 1000,
    },
    {
      id: 'labels',
      title: 'Labels',
      width: 12,
      grow: 2,
      max: labels,
      drop: 2,
      cell: (token) => ({ text: labelsText(token.labels), tone: 'muted' }),
    },
    {
      id: 'last',
      title: 'Last used',
      width: 9,
      drop: 3,
      cell: ({ last_used: last }) => ({
        text: last === null ? 'never' : `${age(nowMs / 1000 - last)} ago`,
        tone: last === null ? 'faint' : 'muted',
      }),
      value: ({ last_used: last }) => -(last ?? 0),
      moment: ({ last_used: last }) => last ?? 0,
    },
    {
      id: 'tail',
      title: 'Secret',
      width: 7,
      drop: 6,
      cell: ({ token_tail }) => ({ text: `…${token_tail}`, tone: 'muted' }),
    },
    momentColumn('created', 'Created', ({ created }) => created, nowMs, { drop: 5 }),
    wordColumn('by', 'By', tokens, ({ created_by }) => created_by, { least: 2, most: 20, drop: 4 }),
  ];
}

export const ENROLLMENT_FACETS = (nowMs: number): readonly Facet<Enrollment>[] => [
  { id: 'state', title: 'State', value: (token) => enrollmentState(token, nowMs).replace('_', ' ') },
  { id: 'by', title: 'Created by', value: ({ created_by }) => created_by },
];

export function enrollmentLines(token: Enrollment, nowMs: number, width: number): Line[] {
  const { text, tone } = stateCell(token, nowMs);
  const { expire, uses, last_used: last } = token;
  return factLines(
    [
      { label: 'State', value: text, tone },
      { label: 'Expires', value: expiryText(expire, nowMs) },
      { label: 'Hosts enrolled', value: uses === 0 ? `${grouped(token.used)}, no limit` : usesText(token) },
      { label: 'Labels', value: clean(labelsText(token.labels)) },
      {
        label: 'Last used',
        value: last === null ? 'never' : `${fullTime(last * 1000)} (${age(nowMs / 1000 - last)} ago)`,
      },
      { label: 'Secret ends in', value: `…${clean(token.token_tail)}` },
      { label: 'Created', value: `${fullTime(token.created * 1000)} by ${clean(token.created_by)}` },
      { label: 'Id', value: String(token.id) },
    ],
    width,
  );
}
