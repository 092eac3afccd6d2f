// Facts about the list's layout that are needed before the list is laid out. They lag one render behind.
import { useState } from 'react';
import { useFrame } from '../../components/frame/screen-frame.tsx';
import type { ListState } from '../../components/list/list-state.ts';
import { useDashboard } from '../../context/dashboard.ts';

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
export function useErrlogPanes() {
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
