// Columns, facets and details of the enrollment tokens. Pure.

import type { Enrollment } from '@quarterdeck/core';
import { clean, fullTime, grouped } from '@quarterdeck/views/text';
import { expiryCell, expiryText } from '@quarterdeck/views/tokens';
import type { Column } from '../../components/list/column.ts';
import type { Facts } from '../../components/list/detail-lines.ts';
import type { Facet } from '../../components/list/list-filter.ts';
import type { BaseTone } from '../../theme/theme.ts';
import { expiryColumn, lastColumn, momentColumn, textColumn, widest, wordColumn } from '../list/columns.ts';
import { timeAgo } from '../list/moments.ts';
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
  return [
    { id: 'state', title: 'State', width: 9, pinned: true, cell: (token) => stateCell(token, nowMs) },
    textColumn('name', 'Name', tokens, enrollmentName, {
      widths: [12, 20, 60],
      grow: 2,
      searched: true,
      cell: (token) => ({ text: enrollmentName(token), tone: token.name === '' ? 'muted' : undefined }),
    }),
    {
      id: 'uses',
      title: 'Used',
      width: 9,
      align: 'right',
      cell: (token) => ({ text: usesText(token) }),
      value: ({ used }) => -used,
      number: ({ used }) => used,
    },
    expiryColumn(nowMs, { width: widest(tokens, ({ expire }) => expiryCell(expire, nowMs).text, 7, 40) }),
    textColumn('labels', 'Labels', tokens, (token) => labelsText(token.labels), {
      widths: [12, 12, 60],
      grow: 2,
      drop: 2,
      tone: 'muted',
    }),
    lastColumn('last', 'Last used', ({ last_used: last }) => last, nowMs, { width: 9, drop: 3 }),
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

export function enrollmentFacts(token: Enrollment, nowMs: number): Facts {
  const { text, tone } = stateCell(token, nowMs);
  const { expire, uses, last_used: last } = token;
  return [
    { label: 'State', value: text, tone },
    { label: 'Expires', value: expiryText(expire, nowMs) },
    { label: 'Hosts enrolled', value: uses === 0 ? `${grouped(token.used)}, no limit` : usesText(token) },
    { label: 'Labels', value: clean(labelsText(token.labels)) },
    { label: 'Last used', value: last === null ? 'never' : timeAgo(last, nowMs) },
    { label: 'Secret ends in', value: `…${clean(token.token_tail)}` },
    { label: 'Created', value: `${fullTime(token.created * 1000)} by ${clean(token.created_by)}` },
    { label: 'Id', value: String(token.id) },
  ];
}
