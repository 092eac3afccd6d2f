// The error logs: chart, list, details of the selected entry, live updates.
import { Box } from 'ink';
import type { ReactElement } from 'react';
import { ScreenFrame, useFrame } from '../../components/frame/screen-frame.tsx';
import { Lines } from '../../components/lines.tsx';
import { ListBody } from '../../components/list/list-body.tsx';
import { useDashboard } from '../../data/dashboard.ts';
import { staleText } from '../../data/stale.ts';
import { useNow } from '../../data/use-now.ts';
import { detailCrumbs } from '../list/list-screen.tsx';
import { EmptyErrlog } from './empty-errlog.tsx';
import { errlogChips, errlogTick } from './errlog-view.ts';
import { useErrlog } from './use-errlog.ts';
import { useErrlogArrival } from './use-errlog-arrival.ts';
import { useErrlogChart } from './use-errlog-chart.ts';
import { useErrlogDetail } from './use-errlog-detail.ts';
import { useErrlogKeys } from './use-errlog-keys.ts';
import { useErrlogList } from './use-errlog-list.ts';
import { useErrlogPanes } from './use-errlog-panes.ts';

/** The screen; while it is not visible it stays up to date and draws nothing. */
export function ErrlogScreen({ visible }: { readonly visible: boolean }): ReactElement | null {
  const { width } = useFrame();
  const { now, keyOf } = useDashboard();
  const { panes, update } = useErrlogPanes();
  const model = useErrlog(panes.inView);
  const { state } = model;
  const nowMs = useNow(now, state.failure !== null ? 1000 : 10_000, visible);
  const chart = useErrlogChart(state.filter, { visible, hasDetail: panes.detail, nowMs });
  const list = useErrlogList(model, { visible, facetsOpen: panes.facets, above: chart.rows, nowMs });
  update(list.state, list.layout.table.height);
  const detail = useErrlogDetail(list, visible, nowMs);
  useErrlogKeys(model, { list, chart, detail, visible, nowMs });
  useErrlogArrival(model, list);
  if (!visible) return null;

  const { failure, atMs } = state;
  return (
    <ScreenFrame
      chips={errlogChips(state, list.position.index, list.state.marks.size)}
      crumbs={detailCrumbs(list, detail.detail)}
      standing={failure === null || atMs === 0 ? null : staleText(failure, atMs, nowMs)}
    >
      <Box flexDirection="column">
        {chart.rows > 0 && <Lines lines={chart.lines} width={width} height={chart.rows} />}
        <ListBody
          list={list}
          detail={detail.detail}
          tick={errlogTick}
          of={state.total ?? 0}
          empty={(columns, rows) => <EmptyErrlog state={state} keyOf={keyOf} width={columns} height={rows} />}
        />
      </Box>
    </ScreenFrame>
  );
}
