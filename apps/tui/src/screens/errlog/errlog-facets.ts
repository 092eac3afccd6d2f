// Facets of the error log. Pure.
import { type ErrlogFacets, levelName } from '@quarterdeck/core';
import type { ErrlogFilter } from '@quarterdeck/views/errlog';
import { facetNames } from '@quarterdeck/views/errlog';
import { clean } from '@quarterdeck/views/text';
import type { FacetGroup } from '../../components/list/list-filter.ts';
import { levelGlyph } from '../../theme/theme.ts';
import { stateCell } from './errlog-columns.ts';

/** The facets, each counted without its own choice. */
export function errlogGroups(
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
