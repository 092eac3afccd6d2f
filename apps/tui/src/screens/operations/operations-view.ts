// Columns, facets and details of the operations. Pure.

import type { Operation, OperationState } from '@quarterdeck/core';
import { OPERATIONS } from '@quarterdeck/views/agents';
import { clean, distance, fullTime } from '@quarterdeck/views/text';
import { bar } from '../../components/charts/bars.ts';
import type { Column } from '../../components/list/column.ts';
import type { Facts } from '../../components/list/detail-lines.ts';
import type { Facet } from '../../components/list/list-filter.ts';
import { fit } from '../../text/width.ts';
import type { BaseTone } from '../../theme/theme.ts';
import { momentColumn, textColumn, wordColumn } from '../list/columns.ts';
import { timeAgo } from '../list/moments.ts';

const STATES: Readonly<Record<OperationState, { readonly text: string; readonly tone: BaseTone }>> = {
  queued: { text: '◇ queued', tone: 'muted' },
  delivered: { text: '◆ delivered', tone: 'notice' },
  running: { text: '● running', tone: 'accent' },
  succeeded: { text: '✓ succeeded', tone: 'good' },
  failed: { text: '✖ failed', tone: 'bad' },
  expired: { text: '▲ expired', tone: 'warning' },
  cancelled: { text: '○ cancelled', tone: 'faint' },
};

/** Width of a progress bar, columns. */
const BAR = 10;

const stateCell = ({ state }: Operation) => STATES[state];

/** True for an operation that can be cancelled. */
export const isWaiting = ({ state }: Operation): boolean => state === 'queued' || state === 'delivered';

/** The kind of an operation: `upgrade to 2.1`. */
export const kindText = ({ kind, params }: Pick<Operation, 'kind' | 'params'>): string =>
  `${OPERATIONS[kind].label}${params.version === undefined ? '' : ` to ${params.version}`}`;

/** The progress: a bar and a percentage, nothing before the start. */
export function progressCell({ state, progress }: Operation): { text: string; tone: BaseTone } {
  if (isWaiting({ state } as Operation) || (state !== 'running' && state !== 'succeeded' && progress === 0)) {
    return { text: '', tone: 'plain' };
  }
  const done = state === 'succeeded' ? 100 : progress;
  return { text: `${fit(bar(done, 100, BAR), BAR)} ${done}%`, tone: STATES[state].tone };
}

const name = ({ hostname, agent_id: id }: Operation): string => clean(hostname) || `#${id}`;

export const operationTitle = (operation: Operation): string => `${kindText(operation)} · ${name(operation)}`;

const stepText = ({ deadline }: Operation, nowMs: number): string =>
  deadline === 0 ? '' : distance(deadline * 1000, nowMs);

export function operationColumns(operations: readonly Operation[], nowMs: number): Column<Operation>[] {
  return [
    { id: 'state', title: 'State', width: 11, pinned: true, cell: stateCell, text: ({ state }) => state },
    textColumn('host', 'Host', operations, name, { widths: [8, 14, 40], grow: 2, pinned: true, searched: true }),
    textColumn('kind', 'Operation', operations, kindText, { widths: [13, 16, 32], grow: 2 }),
    {
      id: 'progress',
      title: 'Progress',
      width: BAR + 5,
      cell: progressCell,
      value: ({ progress }) => progress,
      number: ({ progress }) => progress,
      text: ({ progress }) => `${progress}%`,
    },
    textColumn('detail', 'Result', operations, ({ detail }) => detail, {
      widths: [10, 10, 120],
      grow: 6,
      drop: 1,
      searched: true,
      tone: 'muted',
    }),
    {
      id: 'deadline',
      title: 'Deadline',
      width: 13,
      drop: 2,
      cell: (operation) => ({ text: stepText(operation, nowMs), tone: 'muted' }),
      value: ({ deadline }) => (deadline === 0 ? Number.MAX_SAFE_INTEGER : deadline),
      moment: ({ deadline }) => deadline,
    },
    momentColumn('created', 'Requested', ({ created }) => created, nowMs, {
      drop: 3,
      value: ({ created }) => -created,
    }),
    wordColumn('by', 'By', operations, ({ created_by }) => created_by, { least: 5, most: 20, drop: 4 }),
  ];
}

export const OPERATION_FACETS: readonly Facet<Operation>[] = [
  { id: 'state', title: 'State', value: ({ state }) => state },
  { id: 'kind', title: 'Operation', value: kindText },
  { id: 'by', title: 'Requested by', value: ({ created_by }) => created_by },
];

export function operationFacts(operation: Operation, nowMs: number): Facts {
  const { text, tone } = stateCell(operation);
  const { created, modified, created_by: by } = operation;
  return [
    { label: 'State', value: text, tone },
    { label: 'Progress', value: progressCell(operation).text },
    { label: 'Result', value: clean(operation.detail) },
    { label: 'Operation', value: clean(kindText(operation)) },
    { label: '', value: OPERATIONS[operation.kind].text },
    { label: 'Agent', value: `${name(operation)} (agent ${operation.agent_id})` },
    {
      label: 'Deadline',
      value: operation.deadline === 0 ? '' : `${fullTime(operation.deadline * 1000)}, ${stepText(operation, nowMs)}`,
    },
    { label: 'Requested', value: `${fullTime(created * 1000)} by ${clean(by)}` },
    { label: 'Changed', value: timeAgo(modified, nowMs) },
    { label: 'Id', value: String(operation.id) },
  ];
}

/** The number of operations in progress. */
export const openCount = (operations: readonly Operation[]): number =>
  operations.filter((operation) => isWaiting(operation) || operation.state === 'running').length;
