import { formatName, formatValue, LINE_FIELDS } from '@quarterdeck/core/filter';

/** A filter with one more condition: a field has this value. */
export const narrowed = (filter: string | undefined, name: string, value: string): string =>
  [filter ?? '', `${formatName(name, LINE_FIELDS)}:${formatValue(value)}`].join(' ').trim();
