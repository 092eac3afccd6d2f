// The contract for tests: every method of every endpoint, and its smallest input. A new endpoint of the contract is
// tested without further work.
import { type Access, type Contract, contract, type Endpoint, type Method } from '@quarterdeck/core';
import { z } from 'zod';
import { EVENTS, RAW_ENDPOINTS } from '../src/http/endpoints/raw-endpoints.ts';

/** One method and path. */
export interface Route {
  /** `noun.verb`, with the method where the endpoint answers to several. */
  readonly name: string;
  readonly method: Method;
  readonly path: string;
  readonly access: Access;
  readonly endpoint: Endpoint;
}

const routesOf = (name: string, endpoint: Endpoint): Route[] =>
  [endpoint.method, endpoint.alsoMethod]
    .filter((method) => method !== undefined)
    .map((method) => ({
      name: method === endpoint.method ? name : `${name} by ${method}`,
      method,
      path: endpoint.path,
      access: endpoint.access,
      endpoint,
    }));

/** Every route of the contract. */
export const ROUTES: readonly Route[] = Object.entries(contract as Contract).flatMap(([noun, table]) =>
  Object.entries(table).flatMap(([verb, endpoint]) => routesOf(`${noun}.${verb}`, endpoint)),
);

const raw = (name: string, endpoint: Endpoint): Route => {
  const { method, path, access } = endpoint;
  return { name, method, path, access, endpoint };
};

/** The event stream: outside the contract because its answer does not end, but with the same authorization. */
export const STREAM: Route = raw('events', EVENTS);

/** All routes outside the contract that need a credential. */
export const RAW_ROUTES: readonly Route[] = Object.entries(RAW_ENDPOINTS).map(([name, endpoint]) =>
  raw(name, endpoint),
);

/** Fills the placeholders of a path. */
export const pathOf = (route: Pick<Route, 'path'>, id: number | string): string =>
  route.path.replaceAll(/\{\w+\}/g, String(id));

/** JSON Schema, as far as our schemas use it. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
}

/** Converts a schema to JSON Schema. */
export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  const known = jsonSchemas.get(schema);
  if (known !== undefined) return known;
  const made = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  jsonSchemas.set(schema, made);
  return made;
}

const jsonSchemas = new WeakMap<z.ZodType, JsonSchema>();

/** One kind of value. */
export type Variant = JsonSchema & { readonly type?: string };

/** Kinds of values that a schema accepts. */
export function variantsOf(schema: JsonSchema): readonly Variant[] {
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap(variantsOf);
  const { type } = schema;
  return typeof type === 'object' ? type.map((one) => ({ ...schema, type: one })) : [schema as Variant];
}

/** One field of an input, at any depth. */
export interface Field {
  readonly path: readonly string[];
  readonly required: boolean;
  readonly variants: readonly Variant[];
}

/** Every field of an object, from the outside in. */
export function fieldsOf(schema: JsonSchema, path: readonly string[] = []): Field[] {
  return variantsOf(schema).flatMap(({ properties = {}, required = [] }) =>
    Object.entries(properties).flatMap(([name, field]) => [
      { path: [...path, name], required: required.includes(name), variants: variantsOf(field) },
      ...fieldsOf(field, [...path, name]),
    ]),
  );
}

function sample(schema: JsonSchema, complete: boolean): unknown {
  const kinds = variantsOf(schema).filter(({ type }) => type !== 'null');
  const variant = kinds.find(({ type }) => type !== 'array') ?? kinds[0];
  if (variant === undefined) return null;
  if (variant.const !== undefined) return variant.const;
  if (variant.enum !== undefined) return variant.enum[0];
  switch (variant.type) {
    case 'object': {
      const fields = Object.entries(variant.properties ?? {}).filter(
        ([name]) => complete || variant.required?.includes(name) === true,
      );
      return Object.fromEntries(fields.map(([name, field]) => [name, sample(field, complete)]));
    }
    case 'integer':
    case 'number':
      return Math.max(variant.minimum ?? 0, 0);
    case 'boolean':
      return false;
    case 'array':
      return Array.from({ length: variant.minItems ?? 0 }, () => sample(variant.items ?? {}, complete));
    default:
      return 'x'.repeat(variant.minLength ?? 1);
  }
}

/** Builds an input for a schema: with every field, or with the required ones alone. */
export function exampleOf(schema: z.ZodType, extent: 'smallest' | 'largest' = 'smallest'): unknown {
  const json = jsonSchemaOf(schema);
  // A schema of dependent fields has examples: the smallest first, the largest last.
  const given = (schema.meta()?.['examples'] ?? []) as unknown[];
  const candidates =
    extent === 'smallest' ? [given[0], sample(json, false), sample(json, true)] : [sample(json, true), given.at(-1)];
  const example = candidates.find((value) => schema.safeParse(value).success);
  if (example === undefined) throw new Error(`no example fits ${JSON.stringify(json)}`);
  return example;
}

/** Routes with a body. */
export const WITH_BODY = ROUTES.filter(({ method, endpoint }) => method !== 'GET' && endpoint.body !== undefined);

/** Returns the schema of the body of a route of {@link WITH_BODY}. */
export function bodySchema({ name, endpoint }: Route) {
  if (endpoint.body === undefined) throw new Error(`${name} has no body`);
  return endpoint.body;
}
