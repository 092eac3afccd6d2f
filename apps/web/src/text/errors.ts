// Words of the pages about errors.

export const errorsText = {
  group: 'group',
  noun: 'the errors',
  plural: 'errors',
  none: 'No errors match.',
  noneHint: 'Change the filter, or choose a longer time range.',
  sort: 'Order',
  sorts: { '-log_time': 'Newest first', '-count': 'Most frequent first', '-first_seen': 'First seen last' },
  rollup: 'One row for all sources',
  facets: 'Narrow down',
  clear: 'Clear',
  level: 'Level',
  state: 'State',
  source: 'Source',
  service: 'Service',
  incomplete: 'Incomplete: some lines could not be read in time, or are damaged.',
  notLoaded: 'Loading…',
} as const;
