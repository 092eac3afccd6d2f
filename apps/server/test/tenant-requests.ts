// Generated requests to every endpoint, with ids and texts of two tenants.
import fc from 'fast-check';
import type * as z from 'zod';
import { withoutBody } from './callers.ts';
import { type JsonSchema, jsonSchemaOf, pathOf, type Route, variantsOf } from './endpoints.ts';

/** A request that was generated. */
export interface GeneratedRequest {
  readonly route: Route;
  readonly path: string;
  readonly body: string | undefined;
  readonly caller: number;
}

/** Values that requests are made of. */
export interface Pool {
  readonly texts: readonly string[];
  readonly numbers: readonly number[];
  /** Ids for the path of a route. */
  readonly idsOf: (route: Route) => readonly (number | string)[];
}

function valueFor(schema: JsonSchema, pool: Pool): fc.Arbitrary<unknown> {
  const kinds = variantsOf(schema).map((variant): fc.Arbitrary<unknown> => {
    const { type, minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = variant;
    if (variant.const !== undefined) return fc.constant(variant.const);
    if (variant.enum !== undefined) return fc.constantFrom(...variant.enum);
    switch (type) {
      case 'object':
        return recordOf(variant, pool);
      case 'array':
        return fc.array(valueFor(variant.items ?? {}, pool), { minLength: variant.minItems ?? 0, maxLength: 3 });
      case 'boolean':
        return fc.boolean();
      case 'integer':
      case 'number':
        return fc.constantFrom(...pool.numbers.map((number) => Math.max(minimum, Math.min(maximum, number))));
      case 'null':
        return fc.constant(null);
      default:
        return fc.constantFrom(...pool.texts);
    }
  });
  return fc.oneof(...kinds);
}

function recordOf({ properties = {}, required = [] }: JsonSchema, pool: Pool): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(properties).map(([name, field]) => {
    const value = valueFor(field, pool);
    return [name, required.includes(name) ? value : fc.option(value, { nil: undefined, freq: 2 })] as const;
  });
  return fc.record(Object.fromEntries(fields));
}

const inputOf = (schema: z.ZodType | undefined, pool: Pool): fc.Arbitrary<unknown> =>
  schema === undefined ? fc.constant(undefined) : valueFor(jsonSchemaOf(schema), pool);

const asQuery = (query: unknown): string => {
  const given = Object.entries((query ?? {}) as Record<string, unknown>).filter(([, value]) => value != null);
  return given.length === 0
    ? ''
    : `?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, `${value}`]))}`;
};

/** Requests to these routes. */
export const requestsTo = (routes: readonly Route[], pool: Pool): fc.Arbitrary<GeneratedRequest> =>
  fc.constantFrom(...routes).chain((route) =>
    fc
      .record({
        id: fc.constantFrom(...pool.idsOf(route)),
        query: inputOf(route.endpoint.query, pool),
        body: withoutBody(route) ? fc.constant(undefined) : inputOf(route.endpoint.body, pool),
        caller: fc.nat(),
      })
      .map(({ id, query, body, caller }) => ({
        route,
        path: pathOf(route, id) + asQuery(query),
        body: body === undefined ? undefined : JSON.stringify(body),
        caller,
      })),
  );
