// Facets of the error log. Pure.
import { type ErrlogFacets, levelName } from '@quarterdeck/core';
import type { FacetGroup } from '../../components/list/list-filter.ts';
import { type ErrlogFilter, sourceName } from '../../data/errlog.ts';
import { levelGlyph } from '../../theme.ts';
import { stateCell } from './errlog-view.ts';

/** The facets, each counted without its own choice. */
export function errlogGroups({ levels, states, sources, apps }: ErrlogFacets, filter: ErrlogFilter): FacetGroup[] {
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
      title: 'Level',
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
      values: sources.map(({ src, name, count: n }) =>
        value(sourceName({ src, source: name }), src, n, [String(filter.src)]),
      ),
    },
    {
      id: 'app',
      title: 'Application',
      values: apps.map(({ app_id: app, count: n }) => value(String(app), app, n, [String(filter.app_id)])),
    },
  ];
}
