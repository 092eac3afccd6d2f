import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { EVENTS } from '../domain/event.ts';
import { NOUNS } from '../generated/nouns.ts';
import type { Endpoint } from './endpoint.ts';
import { contract } from './index.ts';

const named = new Set<z.ZodType>(Object.values(NOUNS));

/** Schemas without a name: of a value itself, of the rows of a list, or of one of several forms. */
function unnamed(schema: z.ZodType): z.ZodType[] {
  if (named.has(schema)) return [];
  if (schema instanceof z.ZodArray) return unnamed(schema.element as z.ZodType);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => unnamed(option as z.ZodType));
  if (!(schema instanceof z.ZodObject)) return [];
  const { data, meta, ...rest } = schema.shape as Record<string, z.ZodType>;
  return data !== undefined && meta !== undefined && Object.keys(rest).length === 0 ? unnamed(data) : [schema];
}

const endpoints = Object.entries(contract).flatMap(([noun, table]) =>
  Object.entries(table).map(([verb, definition]) => ({ name: `${noun}.${verb}`, ...(definition as Endpoint) })),
);

describe('NOUNS', () => {
  it.each(endpoints)('names what $name receives and answers', ({ body, data }) => {
    for (const schema of [body, data]) if (schema !== undefined) expect(unnamed(schema)).toEqual([]);
  });

  it('names the data of every event', () => {
    for (const schema of Object.values(EVENTS)) expect(unnamed(schema)).toEqual([]);
  });
});
