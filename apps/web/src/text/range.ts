// Words of time ranges.

export const rangeText = {
  label: 'Time range',
  last: (span: string) => `Last ${span}`,
  all: 'All times',
  other: 'Other…',
  typed: 'From when to when',
  examples: '2h, since 10:00, 10:00 to 11:02',
  take: 'Show',
  now: 'now',
  span: (start: string, end: string) => `${start} to ${end}`,
} as const;
