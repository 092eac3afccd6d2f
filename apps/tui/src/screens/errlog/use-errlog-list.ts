// The list of the error log: its rows, columns and facets.

import { type ErrlogFacets, levelName } from '@quarterdeck/core';
import { LINE_FIELDS } from '@quarterdeck/core/filter';
import type { ErrlogEntry } from '@quarterdeck/sdk';
import { type ErrlogFilter, extentOf, facetNames } from '@quarterdeck/views/errlog';
import { clean } from '@quarterdeck/views/text';
import { useEffect, useMemo } from 'react';
import { useFrame } from '../../components/frame/screen-frame.tsx';
import type { FacetGroup } from '../../components/list/list-filter.ts';
import { type List, useList } from '../../components/list/use-list.ts';
import { useDashboard } from '../../context/dashboard.ts';
import { levelGlyph } from '../../theme/theme.ts';
import { errlogColumns, errlogWidths, stateCell } from './errlog-columns.ts';
import { orderOf } from './errlog-commands.ts';
import type { ErrlogModel } from './use-errlog.ts';
import { useFacets } from './use-errlog-extras.ts';

/** The facets, each counted without its own choice. */
function errlogGroups(
  { levels, states, sources, services, apps, partial }: ErrlogFacets,
  filter: ErrlogFilter,
): FacetGroup[] {
  const names = facetNames(sources);
  const chosenStates = filter.state?.split(',') ?? [];
  const value = (text: string, key: string | number, count: number, keys: readonly string[]) => ({
    value: text,
    key: String(key),
    count,
    chosen: keys.includes(String(key)),
  });
  return [
    {
      id: 'level',
      // There are more groups than the server counts.
      title: partial === true ? 'Level (not all counted)' : 'Level',
      values: levels.map(({ level, count: n }) =>
        value(`${levelGlyph(level)} ${levelName(level)}`, level, n, [String(filter.level)]),
      ),
    },
    {
      id: 'state',
      title: 'State',
      values: states.map(({ state, count: n }) => value(stateCell(state).text, state, n, chosenStates)),
    },
    {
      id: 'source',
      title: 'Source',
      values: sources.map(({ src, count: n }) => value(names.get(src) ?? '', src, n, [String(filter.src)])),
    },
    {
      id: 'service',
      title: 'Service',
      values: services.flatMap(({ service, count: n }) =>
        service === '' ? [] : [value(clean(service), service, n, [filter.service ?? ''])],
      ),
    },
    {
      id: 'app',
      title: 'Application',
      values: apps.map(({ app_id: app, count: n }) => value(String(app), app, n, [String(filter.app_id)])),
    },
  ];
}

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
