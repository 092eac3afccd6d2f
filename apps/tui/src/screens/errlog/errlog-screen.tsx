// The error logs: chart, list, details of the selected entry, live updates.
import { useNow } from '@quarterdeck/views/react';
import { staleText } from '@quarterdeck/views/reads';
import { clean } from '@quarterdeck/views/text';
import { Box } from 'ink';
import { type ReactElement, useState } from 'react';
import { ScreenFrame, useFrame } from '../../components/frame/screen-frame.tsx';
import { Lines } from '../../components/lines.tsx';
import { ListBody } from '../../components/list/list-body.tsx';
import type { ListState } from '../../components/list/list-state.ts';
import { useDashboard } from '../../context/dashboard.ts';
import { detailCrumbs, foldedChips } from '../list/list-screen.tsx';
import { useIncomplete } from '../shared/use-incomplete.ts';
import { EmptyErrlog } from './empty-errlog.tsx';
import { errlogTick } from './errlog-columns.ts';
import { errlogChips, hostOf } from './errlog-view.ts';
import { useErrlog } from './use-errlog.ts';
import { useErrlogArrival } from './use-errlog-arrival.ts';
import { useErrlogChart } from './use-errlog-chart.ts';
import { useErrlogDetail } from './use-errlog-detail.ts';
import { useErrlogKeys } from './use-errlog-keys.ts';
import { useErrlogList } from './use-errlog-list.ts';

interface Panes {
  readonly facets: boolean;
  readonly detail: boolean;
  /** Rows of the table in view. */
  readonly inView: number;
}

const panesOf = (state: Partial<Pick<ListState, 'facetsOpen' | 'detail'>> | undefined): Omit<Panes, 'inView'> => ({
  facets: state?.facetsOpen === true,
  detail: (state?.detail ?? 'closed') !== 'closed',
});

/** The panes, and a function that takes them from the list that was laid out. */
function useErrlogPanes() {
  const { height } = useFrame();
  const { store } = useDashboard();
  const [panes, setPanes] = useState<Panes>(() => ({
    ...panesOf(store.get().lists['errlog']),
    inView: Math.max(1, height - 1),
  }));
  const update = (state: ListState, tableHeight: number): void => {
    const { facets, detail } = panesOf(state);
    const inView = tableHeight > 0 ? Math.max(1, tableHeight - 1) : panes.inView;
    const isSame = facets === panes.facets && detail === panes.detail && inView === panes.inView;
    if (!isSame) setPanes({ facets, detail, inView });
  };
  return { panes, update };
}

/** The screen; while it is not visible it stays up to date and draws nothing. */
export function ErrlogScreen({ visible }: { readonly visible: boolean }): ReactElement | null {
  const { width } = useFrame();
  const { now } = useDashboard();
  const { panes, update } = useErrlogPanes();
  const model = useErrlog(panes.inView, visible);
  const { state } = model;
  const nowMs = useNow(now, state.failure !== null ? 1000 : 10_000, visible);
  const chart = useErrlogChart(state.filter, { visible, hasDetail: panes.detail, nowMs });
  const list = useErrlogList(model, { visible, facetsOpen: panes.facets, above: chart.rows, nowMs });
  update(list.state, list.layout.table.height);
  const detail = useErrlogDetail(list, visible, nowMs);
  const views = useErrlogKeys(model, { list, chart, detail, visible, nowMs });
  useErrlogArrival(model, list);
  const incomplete = useIncomplete([state.meta, chart.rows > 0 ? chart.meta : undefined], {
    src: state.filter.src,
    nameOf: (src) => hostOf(state.rows, src),
    visible,
    nowMs,
  });
  if (!visible) return null;

  const { failure, atMs } = state;
  const words = list.filter?.words ?? clean(list.state.filter);
  return (
    <ScreenFrame
      chips={errlogChips(
        state,
        list.filter ?? (words === '' ? null : { words, note: '' }),
        list.position.index,
        list.state.marks.size,
        { incomplete: incomplete !== null, chart: chart.moved, folded: foldedChips(list) },
      )}
      crumbs={detailCrumbs(list, detail.detail)}
      views={views}
      standing={failure === null || atMs === 0 ? incomplete : staleText(failure, atMs, nowMs)}
    >
      <Box flexDirection="column">
        {chart.rows > 0 && <Lines lines={chart.lines} width={width} height={chart.rows} />}
        <ListBody
          list={list}
          detail={detail.detail}
          tick={errlogTick}
          empty={(columns, rows) => (
            <EmptyErrlog state={state} words={words} nowMs={nowMs} width={columns} height={rows} />
          )}
        />
      </Box>
    </ScreenFrame>
  );
}
