// The list of the error log: its rows, columns and facets.
import type { ErrlogEntry } from '@quarterdeck/sdk';
import { useEffect, useMemo } from 'react';
import { useFrame } from '../../components/frame/screen-frame.tsx';
import { type List, useList } from '../../components/list/use-list.ts';
import { orderOf } from './errlog-commands.ts';
import { errlogGroups } from './errlog-facets.ts';
import { errlogColumns, errlogWidths } from './errlog-view.ts';
import type { ErrlogModel } from './use-errlog.ts';
import { useFacets } from './use-errlog-extras.ts';

interface ErrlogListOptions {
  readonly visible: boolean;
  readonly facetsOpen: boolean;
  /** Rows above the list. */
  readonly above: number;
  readonly nowMs: number;
}

/** Lays the list out; while its details are open, the model keeps its rows in place. */
export function useErrlogList(
  model: ErrlogModel,
  { visible, facetsOpen, above, nowMs }: ErrlogListOptions,
): List<ErrlogEntry> {
  const { width, height } = useFrame();
  const { filter, order, rows: known, cursor } = model.state;
  const rows = useMemo(() => order.flatMap((id) => known.get(id) ?? []), [order, known]);
  const { time, source, service, state } = useMemo(() => errlogWidths(rows, nowMs, width), [rows, nowMs, width]);
  // The same columns while their widths are the same: unchanged rows are not drawn again.
  const columns = useMemo(
    () => errlogColumns({ time, source, service, state }, nowMs),
    [time, source, service, state, nowMs],
  );
  const facets = useFacets(filter, visible && facetsOpen);
  const groups = useMemo(() => (facets === undefined ? [] : errlogGroups(facets, filter)), [facets, filter]);
  const list = useList<ErrlogEntry>({
    name: 'errlog',
    rows,
    columns,
    groups,
    width,
    height,
    above,
    isServed: true,
    order: orderOf(filter),
    own: { cursor, ...model.mover },
  });
  const { setReading } = model;
  const isReading = visible && list.state.detail !== 'closed';
  useEffect(() => setReading(isReading), [setReading, isReading]);
  return list;
}
