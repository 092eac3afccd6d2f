// Derives the table of endpoints from the contract.
import { contract, type Endpoint } from '@quarterdeck/core';
import { z } from 'zod';
import type { EndpointInfo, FieldInfo } from '../src/contract/endpoint-info.ts';

/** The part of JSON Schema that the contract uses. */
interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly anyOf?: readonly Schema[];
}

/** Fields that a command decides by itself: its page, and the fields beyond the specification. */
const OWN = ['page', 'page_size', 'start', 'end', '_page', '_pagesize', 'detail', 'limit', 'cursor'];

/** Returns the form without `null`, which means the same as an absent field. */
function known(schema: Schema): Schema {
  const choices = schema.anyOf?.filter(({ type }) => type !== 'null');
  const only = choices?.length === 1 ? choices[0] : undefined;
  return only === undefined ? schema : { ...only, description: schema.description ?? only.description ?? '' };
}

/** Names of times; the description of the others tells their unit. */
const TIME = /^(?:time|at)$|_time$/;

function typeOf(name: string, schema: Schema): FieldInfo['type'] {
  const { description = '' } = schema;
  if (name === 'expire') return 'expiry';
  if (schema.type === 'number' || schema.type === 'integer') {
    if (TIME.test(name)) return 'time';
    if (description.startsWith('Seconds')) return 'duration';
    if (name === 'level' || name === 'level_max') return 'level';
  }
  if (schema.type === 'boolean') return 'flag';
  if (schema.type === 'integer' || schema.type === 'number') return 'number';
  if (schema.type === 'string' || schema.anyOf?.some(({ type }) => type === 'string')) return 'text';
  if (schema.type === 'array') return schema.items?.type === 'integer' ? 'numbers' : 'texts';
  return schema.additionalProperties === undefined || schema.additionalProperties === false ? 'json' : 'pairs';
}

function fieldOf(name: string, schema: Schema, isRequired: boolean): FieldInfo {
  const { description = '', items, ...own } = known(schema);
  const values = own.enum ?? items?.enum;
  return {
    type: typeOf(name, known(schema)),
    ...(description === '' ? {} : { about: description }),
    ...(values === undefined ? {} : { values }),
    ...(isRequired ? { required: true } : {}),
  };
}

function fieldsOf(slot: z.ZodType | undefined): Record<string, FieldInfo> {
  if (slot === undefined) return {};
  const schema = z.toJSONSchema(slot, { io: 'input', unrepresentable: 'any' }) as Schema;
  return Object.fromEntries(
    Object.entries(schema.properties ?? {})
      .filter(([name]) => !OWN.includes(name))
      .map(([name, field]) => [name, fieldOf(name, field, schema.required?.includes(name) === true)]),
  );
}

/** Paths of the members of a value, from the outside in. */
function pathsOf(schema: Schema, path: string): string[] {
  const choices = schema.anyOf ?? [schema];
  return [...new Set(choices.flatMap((choice) => membersOf(choice, path)))];
}

function membersOf({ type, items, properties, additionalProperties }: Schema, path: string): string[] {
  const below = (name: string) => (path === '' ? name : `${path}.${name}`);
  if (type === 'array') return pathsOf(items ?? {}, `${path}[]`);
  const named = Object.entries(properties ?? {}).flatMap(([name, member]) => [
    below(name),
    ...pathsOf(member, below(name)),
  ]);
  const isOpen = type === 'object' && additionalProperties !== undefined && additionalProperties !== false;
  return isOpen ? [...named, below('*')] : named;
}

function infoOf({ method, path, summary, access, query, body, data }: Endpoint): EndpointInfo {
  const hasDetail = query !== undefined && 'shape' in query && 'detail' in (query.shape as object);
  return {
    method,
    path,
    summary,
    access,
    ...(hasDetail ? { detail: true } : {}),
    query: fieldsOf(query),
    body: fieldsOf(body),
    data:
      data instanceof z.ZodUndefined
        ? []
        : pathsOf(z.toJSONSchema(data, { io: 'output', unrepresentable: 'any' }) as Schema, ''),
  };
}

/** Returns the text of the file. */
export function endpointsModule(): string {
  const rows = Object.entries(contract).flatMap(([noun, verbs]) =>
    Object.entries(verbs).map(([verb, endpoint]) => [`${noun}.${verb}`, infoOf(endpoint)] as const),
  );
  return `// Generated from the contract by pnpm generate.
import type { EndpointInfo } from '../contract/endpoint-info.ts';

/** Every endpoint of the contract by noun and verb, without schemas. */
export const ENDPOINTS = ${JSON.stringify(Object.fromEntries(rows), null, 1)} as const satisfies Record<string, EndpointInfo>;
`;
}
