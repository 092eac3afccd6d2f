// The list of the error log: its rows, columns and facets.
import { LINE_FIELDS } from '@quarterdeck/core/filter';
import type { ErrlogEntry } from '@quarterdeck/sdk';
import { extentOf } from '@quarterdeck/views/errlog';
import { useEffect, useMemo } from 'react';
import { useFrame } from '../../components/frame/screen-frame.tsx';
import { type List, useList } from '../../components/list/use-list.ts';
import { useDashboard } from '../../context/dashboard.ts';
import { errlogColumns, errlogWidths } from './errlog-columns.ts';
import { orderOf } from './errlog-commands.ts';
import { errlogGroups } from './errlog-facets.ts';
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
  const { zone } = useDashboard();
  const { filter, order, rows: known, cursor } = model.state;
  const rows = useMemo(() => order.flatMap((id) => known.get(id) ?? []), [order, known]);
  const { time, source, service, state, renamed, isNarrow } = useMemo(
    () => errlogWidths(rows, nowMs, width),
    [rows, nowMs, width, zone],
  );
  // The same columns while their widths are the same: unchanged rows are not drawn again.
  const columns = useMemo(
    () => errlogColumns({ time, source, service, state, renamed, isNarrow }, nowMs),
    [time, source, service, state, renamed, isNarrow, nowMs],
  );
  const facets = useFacets(filter, visible && facetsOpen);
  const groups = useMemo(() => (facets === undefined ? [] : errlogGroups(facets, filter)), [facets, filter]);
  const { start, length } = extentOf(model.state);
  const note = model.state.failure === null ? 'loading' : `not loaded: ${model.state.failure.message} Trying again.`;
  const partial = useMemo(() => ({ start, length, note }), [start, length, note]);
  const list = useList<ErrlogEntry>({
    name: 'errlog',
    rows,
    columns,
    groups,
    width,
    height,
    above,
    isServed: true,
    names: LINE_FIELDS,
    filterText: filter.filter ?? '',
    order: orderOf(filter),
    own: { cursor, ...model.mover },
    partial,
  });
  const { setReading } = model;
  const isReading = visible && list.state.detail !== 'closed';
  useEffect(() => setReading(isReading), [setReading, isReading]);
  return list;
}
