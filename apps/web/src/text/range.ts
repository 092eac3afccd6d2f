// Words of time ranges.

/** The words. */
export const rangeText = {
  label: 'Time range',
  last: (span: string) => `Last ${span}`,
  all: 'All times',
  now: 'now',
  span: (start: string, end: string) => `${start} to ${end}`,
} as const;
