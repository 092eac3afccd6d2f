// The agents: list, all facts of the selected one, live updates.
import type { Agent } from '@quarterdeck/sdk';
import { Box } from 'ink';
import { type ReactElement, useCallback, useMemo } from 'react';
import { DetailPane, factLines } from '../../components/detail-pane.tsx';
import { ScreenFrame, useFrame } from '../../components/frame/screen-frame.tsx';
import { listCommands } from '../../components/list-commands.ts';
import { QueryNotice } from '../../components/notice.tsx';
import { splitForDetail, undivided } from '../../components/split.ts';
import { Table } from '../../components/table/table.tsx';
import { useCursor } from '../../components/use-cursor.ts';
import { useDashboard } from '../../data/dashboard.ts';
import { hasData } from '../../data/query.ts';
import { staleMessage } from '../../data/stale.ts';
import { useEvents } from '../../data/use-events.ts';
import { useNow } from '../../data/use-now.ts';
import { useQuery } from '../../data/use-query.ts';
import { useCommands } from '../../keys/use-commands.ts';
import { clean } from '../../text/clean.ts';
import { agentChips, agentColumns, agentFacts, agentWidths, inOrder, withEvents } from './agents-view.ts';

/** All of a fleet at once; the largest page the server gives. */
const FLEET_MAX = 10_000;
/** The stream tells when an agent comes, goes or changes, but not each time it reports. */
const EVERY_MS = 15_000;
const NONE: readonly Agent[] = [];

/** The screen; while it is not visible nothing is read, and what is known is kept. */
export function AgentsScreen({ visible }: { readonly visible: boolean }): ReactElement | null {
  const { width, height } = useFrame();
  const { client, now, online, overlay, open, close } = useDashboard();
  const read = useCallback(
    async (signal: AbortSignal): Promise<readonly Agent[]> =>
      inOrder(await client.agent.list({ query: { _pagesize: FLEET_MAX, detail: 1 } }, { signal })),
    [client],
  );
  const { query, refresh, change } = useQuery(read, { enabled: online && visible, everyMs: EVERY_MS });
  useEvents((events) => {
    change((agents) => withEvents(agents, events));
    if (visible && events.some((event) => event.type === 'resync' && event.data.of !== 'errlog')) refresh();
  });

  const agents = hasData(query) ? query.data : NONE;
  const ids = useMemo(() => agents.map(({ id }) => id), [agents]);
  const widths = useMemo(() => agentWidths(agents), [agents]);
  const detailed = visible && overlay?.kind === 'detail';
  const split = detailed ? splitForDetail(width, height) : undivided(width, height);
  const listRows = Math.max(1, split.list.height - 1);
  const cursor = useCursor(ids, listRows);
  const selected = agents[cursor.index];
  const nowMs = useNow(now, 1000, visible);
  useCommands(
    'agents',
    {
      ...listCommands(cursor.mover, listRows),
      refresh,
      open: selected === undefined ? undefined : () => open({ kind: 'detail' }),
    },
    { active: visible },
  );
  if (!visible) return null;

  return (
    <ScreenFrame chips={agentChips(agents, cursor.index)} standing={staleMessage(query, nowMs)}>
      {agents.length === 0 ? (
        <QueryNotice
          query={query}
          reading="Reading the agents…"
          empty="No agents yet."
          lines={['Start one on a host with: npx -y pnpm@12 agent']}
          width={width}
          height={height}
        />
      ) : (
        <Box flexDirection={split.side === 'beside' ? 'row' : 'column'}>
          <Box flexDirection="column" width={split.list.width} height={split.list.height} overflow="hidden">
            <Table
              columns={agentColumns(widths, nowMs)}
              rows={agents.slice(cursor.offset, cursor.offset + listRows)}
              selectedId={cursor.id}
              width={split.list.width}
            />
          </Box>
          {detailed && selected !== undefined && (
            <DetailPane
              id={selected.id}
              title={clean(selected.hostname)}
              split={split}
              lines={(columns) => factLines(agentFacts(selected, nowMs), columns)}
              onMove={cursor.mover.by}
              onClose={close}
            />
          )}
        </Box>
      )}
    </ScreenFrame>
  );
}
