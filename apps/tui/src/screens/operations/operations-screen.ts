// The screen of the operations of agents.

import type { Operation } from '@quarterdeck/core';
import { confirmEach, type QuestionContext } from '@quarterdeck/views/questions';
import { useRows } from '@quarterdeck/views/react';
import type { ReadRange, Rows } from '@quarterdeck/views/reads';
import { grouped } from '@quarterdeck/views/text';
import { factDetail } from '../../components/list/detail-lines.ts';
import type { ConfirmDialog } from '../../context/dialog.ts';
import { pressTo } from '../../keys/key-hints.ts';
import { listScreen } from '../list/list-screen.tsx';
import {
  isWaiting,
  OPERATION_FACETS,
  openCount,
  operationColumns,
  operationFacts,
  operationTitle,
} from './operations-view.ts';

/** Interval of reading again, because no event reports progress, milliseconds. */
const EVERY_MS = 3_000;

const list: ReadRange<Operation> = (client, query, signal) => client.agentOperation.list({ query }, { signal });

const useOperations = (active: boolean): Rows<Operation> => useRows(list, active, { everyMs: EVERY_MS });

const cancelDialog = (operations: readonly Operation[], context: QuestionContext): ConfirmDialog => ({
  ...confirmEach(
    operations,
    { verb: 'Cancel', done: 'Cancelled', noun: 'operation', name: operationTitle },
    context,
    ({ id }) => context.client.agentOperation.cancel({ params: { id } }),
  ),
  // Nothing is destroyed: no name has to be typed.
  typed: undefined,
});

export const OperationsScreen = listScreen({
  place: 'operations',
  useSource: useOperations,
  clockMs: 1000,
  columns: operationColumns,
  facets: () => OPERATION_FACETS,
  detail: (operation, { nowMs }) => factDetail(operationTitle(operation), operationFacts(operation, nowMs)),
  chips({ source: { rows } }) {
    const open = openCount(rows);
    return open > 0 ? [{ text: `${grouped(open)} in progress`, tone: 'accent' }] : [];
  },
  commands({ selected, chosen }, context) {
    const { go, open } = context;
    const waiting = chosen.filter(isWaiting);
    const cancel =
      waiting.length === 0 ? 'This operation has already started.' : () => open(cancelDialog(waiting, context));
    return {
      cancel: selected === undefined ? undefined : cancel,
      agent:
        selected === undefined
          ? undefined
          : () => go({ screen: 'agents', args: { id: String(selected.agent_id), host: selected.hostname } }),
    };
  },
  empty: ({ keyOf }) => ({
    reading: 'Reading the operations…',
    title: 'No operations.',
    lines: pressTo(keyOf('agents.operate'), 'request one on the screen of the agents'),
  }),
});
