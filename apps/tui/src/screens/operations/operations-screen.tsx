// Operations of agents, as they get on.
import type { Operation } from '@quarterdeck/core';
import { type ReactElement, useMemo } from 'react';
import type { ConfirmDialog } from '../../components/dialog/dialog.ts';
import { ListScreen } from '../../components/list/list-screen.tsx';
import { QueryNotice } from '../../components/notice.tsx';
import { useDashboard } from '../../data/dashboard.ts';
import { doEach } from '../../data/each.ts';
import { cancelOperation, useOperations } from '../../data/operations.ts';
import { staleMessage } from '../../data/stale.ts';
import { useNow } from '../../data/use-now.ts';
import { grouped, plural } from '../../text/format.ts';
import {
  isWaiting,
  OPERATION_FACETS,
  openCount,
  operationColumns,
  operationLines,
  operationTitle,
} from './operations-view.ts';

/** The screen; while it is not visible nothing is read, and what is known is kept. */
export function OperationsScreen({ visible }: { readonly visible: boolean }): ReactElement | null {
  const { client, now, go, open } = useDashboard();
  const { query, rows, total, refresh } = useOperations(visible);
  const nowMs = useNow(now, 1000, visible);
  const columns = useMemo(() => operationColumns(rows, nowMs), [rows, nowMs]);
  const going = openCount(rows);

  const cancelDialog = (chosen: readonly Operation[]): ConfirmDialog => ({
    kind: 'confirm',
    title: chosen.length === 1 ? 'Take this operation back?' : `Take ${plural(chosen.length, 'operation')} back?`,
    lines: chosen.map(operationTitle),
    yes: chosen.length === 1 ? 'Take it back' : 'Take them back',
    async run() {
      const said = await doEach(chosen, ({ id }) => cancelOperation(client, id), {
        done: 'Took back',
        noun: 'operation',
        name: operationTitle,
      });
      refresh();
      return said;
    },
  });

  return (
    <ListScreen
      place="operations"
      visible={visible}
      rows={rows}
      columns={columns}
      facets={OPERATION_FACETS}
      detail={(operation) => ({
        title: operationTitle(operation),
        lines: (width) => operationLines(operation, nowMs, width),
      })}
      chips={[
        ...(going > 0 ? [{ text: `${grouped(going)} going on`, tone: 'accent' as const }] : []),
        ...(total > rows.length ? [{ text: `${grouped(total)} in all`, tone: 'muted' as const }] : []),
      ]}
      standing={staleMessage(query, nowMs)}
      extras={{ refresh }}
      commands={({ selected, chosen }) => {
        const waiting = chosen.filter(isWaiting);
        return {
          cancel: waiting.length === 0 ? undefined : () => open(cancelDialog(waiting)),
          agent:
            selected === undefined
              ? undefined
              : () => go({ screen: 'agents', args: { id: String(selected.agent_id), host: selected.hostname } }),
        };
      }}
      empty={(width, height) => (
        <QueryNotice
          query={query}
          reading="Reading the operations…"
          empty="No operations."
          lines={['Ask agents for one with O on their screen: collect facts, upgrade, restart tailer.']}
          width={width}
          height={height}
        />
      )}
    />
  );
}
