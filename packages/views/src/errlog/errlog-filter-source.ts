// Names and values for the completion of filters of error logs, from the server.
import { formatName, formatValue, LEVEL_NAMES, LINE_FIELDS, nameOfField } from '@quarterdeck/core/filter';
import type { Client } from '@quarterdeck/sdk';
import type { Counted } from '../filters/completion.ts';
import type { FilterSource } from '../filters/suggest-filter.ts';
import { withChange } from '../filters/with-change.ts';
import type { RangeBounds } from '../times/range.ts';
import { type ErrlogFilter, errlogFacets } from './errlog.ts';
import { hostName } from './source-names.ts';

/** Newest lines whose fields are offered. */
const LINES = 100;
/** Values that are read for a field. */
const VALUES = 50;

/** Counts the names of the fields of some lines. */
function countNames(lines: readonly { readonly fields: Readonly<Record<string, string>> }[]): Counted {
  const counts = new Map<string, number>();
  for (const name of lines.flatMap(({ fields }) => Object.keys(fields))) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => ({ value: nameOfField(name), count })).sort((a, b) => b.count - a.count);
}

/** A filter for values that begin with a text; empty where the values of a field are no texts. */
function beginsWith(name: string, begun: string): string {
  const kind = LINE_FIELDS.kindOf(name) ?? 'text';
  return begun === '' || kind !== 'text' ? '' : `${formatName(name, LINE_FIELDS)}:${formatValue(begun)}*`;
}

/** Creates the source for filters of lines; values and their counts are those of lines in the range. */
export const lineFilterSource = (client: Client, range: RangeBounds): FilterSource => ({
  names: LINE_FIELDS,
  readNames: async (signal) =>
    countNames((await client.line.list({ query: { ...range, limit: LINES } }, { signal })).data),
  values: (name) => async (begun, signal) => {
    const text = beginsWith(name, begun);
    const query = { ...range, field: name, top: VALUES, ...(text === '' ? {} : { filter: text }) };
    return (await client.line.values({ query }, { signal })).values;
  },
});

/** Creates the source; facets pass the filter but for its text, values of fields are those of lines in the range. */
export function errlogFilterSource(client: Client, filter: ErrlogFilter, range: RangeBounds): FilterSource {
  const readFacets = async (name: string, signal: AbortSignal): Promise<Counted | undefined> => {
    const known = ['level', 'state', 'source', 'src', 'service', 'app'];
    if (!known.includes(name)) return undefined;
    const { levels, states, sources, services, apps } = await errlogFacets(
      client,
      { ...withChange(filter, { filter: undefined }), ...range },
      signal,
    );
    switch (name) {
      case 'level':
        return levels.map(({ level, count }) => ({ value: LEVEL_NAMES[level] ?? '', count }));
      case 'state':
        return states.map(({ state, count }) => ({ value: state, count }));
      case 'source':
        return sources.map(({ src, name: source, count }) => ({ value: hostName({ src, source }), count }));
      case 'src':
        return sources.map(({ src, count }) => ({ value: String(src), count }));
      case 'service':
        return services.map(({ service, count }) => ({ value: service, count }));
      default:
        return apps.map(({ app_id: app, count }) => ({ value: String(app), count }));
    }
  };
  const lines = lineFilterSource(client, range);
  const ofLines = lines.values;
  return {
    ...lines,
    values: (name) => async (begun, signal) => {
      const counted = await readFacets(name, signal);
      if (counted !== undefined) return counted;
      const read = ofLines(name);
      return typeof read === 'function' ? read(begun, signal) : read;
    },
  };
}
