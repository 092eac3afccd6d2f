// Columns, facets and details of the audit log. Pure.

import type { AuditEntry } from '@quarterdeck/core';
import { clean, shortTime } from '@quarterdeck/views/text';
import type { Column } from '../../components/list/column.ts';
import { type Detail, type Facts, factDetail, heading, paragraph } from '../../components/list/detail-lines.ts';
import type { Facet } from '../../components/list/list-filter.ts';
import type { BaseTone } from '../../theme/theme.ts';
import { textColumn, widest, wordColumn } from '../list/columns.ts';
import { timeAgo } from '../list/moments.ts';

/** Refusals and removals stand out. */
function toneOf(action: string): BaseTone {
  if (/(denied|failed|reused|refused)/.test(action)) return 'bad';
  if (/(remove|delete|revoke|disable|end_)/.test(action)) return 'warning';
  return 'plain';
}

const actor = ({ actor: { name, kind } }: AuditEntry): string => name || kind;
const target = ({ target: { kind, id } }: AuditEntry): string => (kind === '' ? '' : `${kind} ${id}`);

/** The details of an entry in one line. */
function summary({ detail }: AuditEntry): string {
  return Object.entries(detail)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
}

export function auditColumns(rows: readonly AuditEntry[], nowMs: number): Column<AuditEntry>[] {
  return [
    {
      id: 'time',
      title: 'Time',
      width: widest(rows, (row) => shortTime(row.time, nowMs), 8, 20),
      pinned: true,
      cell: (row) => ({ text: shortTime(row.time, nowMs), tone: 'muted' }),
      value: (row) => -row.time,
      moment: ({ time }) => time,
    },
    textColumn('who', 'Who', rows, actor, { widths: [5, 12, 24], grow: 1, pinned: true }),
    textColumn('action', 'Action', rows, ({ action }) => action, {
      widths: [12, 22, 32],
      grow: 1,
      searched: true,
      cell: ({ action }) => ({ text: action, tone: toneOf(action) }),
    }),
    wordColumn('target', 'Target', rows, target, { least: 6, most: 20, drop: 1 }),
    { id: 'address', title: 'From', width: 15, drop: 3, cell: (row) => ({ text: row.actor.address, tone: 'muted' }) },
    {
      id: 'detail',
      title: 'Detail',
      width: 12,
      grow: 6,
      drop: 2,
      searched: true,
      cell: (row) => ({ text: summary(row), tone: 'muted' }),
    },
  ];
}

export const AUDIT_FACETS: readonly Facet<AuditEntry>[] = [
  { id: 'noun', title: 'About', value: ({ action }) => action.split('.')[0] ?? '' },
  { id: 'who', title: 'Who', value: actor },
  { id: 'action', title: 'Action', value: ({ action }) => action },
  { id: 'address', title: 'From', value: (row) => row.actor.address },
];

export function auditDetail(entry: AuditEntry, nowMs: number): Detail {
  const { actor: who } = entry;
  const facts: Facts = [
    { label: 'Action', value: clean(entry.action), tone: toneOf(entry.action) },
    { label: 'When', value: timeAgo(entry.time, nowMs) },
    { label: 'Who', value: clean(`${actor(entry)} (${who.kind} ${who.id})`) },
    { label: 'By', value: clean(who.credential) },
    { label: 'From', value: clean(who.address) },
    { label: 'Target', value: clean(target(entry)) },
    { label: 'Request', value: clean(entry.request_id) },
    { label: 'Entry', value: String(entry.id) },
    { label: 'Hash', value: clean(entry.hash) },
    { label: 'Before it', value: clean(entry.previous) },
  ];
  return factDetail(clean(entry.action), facts, (width) => [
    [],
    heading('Detail'),
    ...paragraph(JSON.stringify(entry.detail, null, 2), width),
  ]);
}
