// The screen of the operations of agents.
import type { Operation } from '@quarterdeck/core';
import type { ConfirmDialog } from '../../components/dialog/dialog.ts';
import { doEach } from '../../data/each.ts';
import { cancelOperation, useOperations } from '../../data/operations.ts';
import { pressTo } from '../../keys/key-hints.ts';
import { grouped, plural } from '../../text/format.ts';
import type { Run } from '../../text/lines.ts';
import type { ListScreenContext } from '../list/list-description.ts';
import { listScreen } from '../list/list-screen.tsx';
import {
  isWaiting,
  OPERATION_FACETS,
  openCount,
  operationColumns,
  operationLines,
  operationTitle,
} from './operations-view.ts';

function cancelDialog(
  operations: readonly Operation[],
  { client, refresh }: Pick<ListScreenContext<unknown>, 'client' | 'refresh'>,
): ConfirmDialog {
  const one = operations.length === 1;
  return {
    kind: 'confirm',
    title: one ? 'Cancel this operation?' : `Cancel ${plural(operations.length, 'operation')}?`,
    lines: operations.map(operationTitle),
    yes: one ? 'Cancel it' : 'Cancel them',
    async run() {
      const result = await doEach(operations, ({ id }) => cancelOperation(client, id), {
        done: 'Cancelled',
        noun: 'operation',
        name: operationTitle,
      });
      refresh();
      return result;
    },
  };
}

/** The screen. */
export const OperationsScreen = listScreen({
  place: 'operations',
  useSource: useOperations,
  clockMs: 1000,
  columns: operationColumns,
  facets: () => OPERATION_FACETS,
  detail: (operation, { nowMs }) => ({
    title: operationTitle(operation),
    lines: (width) => operationLines(operation, nowMs, width),
  }),
  chips({ source: { rows, total } }) {
    const open = openCount(rows);
    return [
      ...(open > 0 ? [{ text: `${grouped(open)} in progress`, tone: 'accent' } satisfies Run] : []),
      ...(total > rows.length ? [{ text: `${grouped(total)} in all`, tone: 'muted' } satisfies Run] : []),
    ];
  },
  commands({ selected, chosen }, context) {
    const { go, open } = context;
    const waiting = chosen.filter(isWaiting);
    return {
      cancel: waiting.length === 0 ? undefined : () => open(cancelDialog(waiting, context)),
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
