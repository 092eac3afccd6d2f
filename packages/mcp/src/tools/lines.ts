// Tools about stored log lines.
import { contract, lineContextQuery, lineFilters, linePageQuery } from '@quarterdeck/core';
import { z } from 'zod';
import { defineTool, limit, textLast } from './tool.ts';

const AROUND_MAX = 25;
const around = (side: string) =>
  z
    .int()
    .min(0)
    .max(AROUND_MAX)
    .optional()
    .meta({ description: `Number of lines ${side} it; default 10` });

export const searchLines = defineTool({
  name: 'search_lines',
  title: 'Search log lines',
  description: 'Stored log lines that match a filter, with their fields, newest first.',
  input: z.strictObject({ ...lineFilters, limit, before: linePageQuery.before, after: linePageQuery.after }),
  async run({ client, signal }, { limit = 20, ...filters }) {
    const { data, meta } = await client.line.list({ query: { ...filters, limit } }, { signal });
    const { before, after } = meta;
    // With `after` the reader goes towards newer lines.
    const [direction, cursor] = filters.after === undefined ? ['before', before] : ['after', after];
    return {
      summary: `${data.length} lines, newest first.`,
      data: data.map(textLast),
      meta,
      next: cursor === null ? undefined : { [direction]: cursor },
    };
  },
});

export const lineContext = defineTool({
  name: 'line_context',
  title: 'Lines around a line',
  description: 'Log lines around one line, itself included, in the order of time.',
  input: z.strictObject({
    id: contract.line.get.params.shape.id,
    before: around('before'),
    after: around('after'),
    same: lineContextQuery.same,
  }),
  async run({ client, signal }, { id, ...query }) {
    const { data } = await client.line.context({ params: { id }, query }, { signal });
    return { summary: `${data.length} lines around line ${id}.`, data: data.map(textLast) };
  },
});

export const fieldValues = defineTool({
  name: 'field_values',
  title: 'Values of a field',
  description: 'The most frequent values of a field among the lines of a filter, such as client, host or service.',
  input: z.strictObject({
    ...lineFilters,
    field: contract.line.values.query.shape.field,
    top: z.int().min(1).max(100).optional().meta({ description: 'Number of values; default 10' }),
  }),
  async run({ client, signal }, args) {
    const { values, other, distinct, meta } = await client.line.values({ query: args }, { signal });
    return {
      summary: `${values.length} of ${distinct} values; ${other} occurrences have another one.`,
      data: values,
      meta,
    };
  },
});
