// Fields and parameters that an endpoint does not have. This file alone decides whether they are refused, named to the
// caller or open, from the data of the contract (wire contract section 12).
import type * as z from 'zod';
import { AppError, type FieldIssue } from '../base/errors.ts';
import { distance, nearest } from '../base/nearest.ts';
import type { Endpoint } from './endpoint.ts';

/** Header of an answer that names the ignored fields and parameters of its request. */
export const IGNORED_HEADER = 'Quarterdeck-Ignored';

/** Most bytes of the header's value. */
const HEADER_MAX = 4096;
/** Most refused fields of an answer: a body may have very many. */
const REFUSED_MAX = 20;
/** Most ignored fields that are looked for: more do not fit into the header. */
const IGNORED_MAX = HEADER_MAX / 2;
/** Number of characters of an unknown name that a refusal repeats. */
const NAME_SHOWN = 80;
/** Most known names that a refusal lists. */
const KNOWN_SHOWN = 12;
/** Letters by which a field may differ from a known one and still be meant to limit. */
const NEAR_LETTERS = 2;

/** The parts of a request in which fields have names. */
export interface NamedInput {
  readonly query: unknown;
  readonly body: unknown;
}

/** A member of the input that its schema does not have. */
interface Unknown {
  readonly path: readonly string[];
  /** Names that the object has instead. */
  readonly known: readonly string[];
}

/**
 * Refuses unknown fields and parameters, or returns the names of those that the endpoint ignores. Call it once the
 * caller is authorized: a refusal names fields.
 *
 * @throws AppError `unknown_field` with the path of each
 */
export function checkUnknownInput(endpoint: Endpoint, input: NamedInput): string[] {
  const ignores = endpoint.unknownInput === 'ignored';
  const max = ignores ? IGNORED_MAX : REFUSED_MAX;
  const inQuery = unknownMembers(endpoint.query, input.query, max).map(inSlot('query'));
  const inBody = isOpenBody(endpoint) ? [] : unknownMembers(endpoint.body, input.body, max).map(inSlot('body'));
  const refused = ignores ? inBody.filter((unknown) => isNearLimit(unknown, endpoint)) : [...inQuery, ...inBody];
  const fields = refused.slice(0, REFUSED_MAX).map((unknown) => issueOf(unknown, endpoint));
  if (!ignores && endpoint.body === undefined && isUnreadBody(input.body)) {
    fields.push({ path: 'body', message: 'is not read: this request takes no body' });
  }
  const [first] = fields;
  if (first !== undefined) {
    throw new AppError('unknown_field', { message: `${first.path}: ${first.message}`, fields });
  }
  if (inQuery.length + inBody.length === 0) return [];
  return [...new Set([...inQuery, ...inBody].map(({ path }) => path.slice(1).join('.')))];
}

/** Names for {@link IGNORED_HEADER}, percent-encoded; those beyond 4 KiB are left out. */
export function ignoredHeader(names: readonly string[]): string {
  let text = '';
  for (const name of names) {
    // Nothing else names the empty name.
    const encoded = name === '' ? '""' : encodeURIComponent(name.toWellFormed());
    const longer = text === '' ? encoded : `${text}, ${encoded}`;
    if (longer.length <= HEADER_MAX) text = longer;
  }
  return text;
}

/** Lines have fields of their own, and the bodies of agents and of other senders' protocols are open. */
export const isOpenBody = ({ unknownInput, consumes }: Endpoint): boolean =>
  unknownInput === 'open_body' || consumes === 'lines';

const inSlot =
  (slot: 'query' | 'body') =>
  ({ path, known }: Unknown): Unknown => ({ path: [slot, ...path], known });

/** True for a body without members that an endpoint without a body would pass over. */
const isUnreadBody = (body: unknown): boolean =>
  body !== undefined && body !== null && (!isObject(body) || Array.isArray(body)) && String(body) !== '';

/** True for a name that was probably meant to limit what the request creates. */
function isNearLimit({ path: [, name = ''], known }: Unknown, { limitNames = [] }: Endpoint): boolean {
  if (limitNames.length === 0) return false;
  const lower = name.toLowerCase();
  const isLimit = limitNames.some((limit) =>
    limit.endsWith('*') ? lower.startsWith(limit.slice(0, -1)) : lower === limit,
  );
  return isLimit || known.some((field) => distance(name, field, NEAR_LETTERS) <= NEAR_LETTERS);
}

function issueOf({ path, known }: Unknown, endpoint: Endpoint): FieldIssue {
  const kind = path[0] === 'query' ? 'parameter' : 'field';
  const name = path.at(-1) ?? '';
  const meant = nearest(name, known) ?? elsewhere(name, path, endpoint);
  const hint =
    meant !== undefined ? `. Did you mean ${meant}?` : known.length === 0 ? '; there are none here' : knownText(known);
  return { path: path.map(shown).join('.'), message: `is an unknown ${kind}${hint}` };
}

function knownText(known: readonly string[]): string {
  return `. Known: ${known.slice(0, KNOWN_SHOWN).join(', ')}${known.length > KNOWN_SHOWN ? ', ...' : ''}`;
}

const shown = (name: string): string =>
  name.length <= NAME_SHOWN ? name : `${name.slice(0, NAME_SHOWN).toWellFormed()}...`;

/** Path of a field with this name in an object around it, in the body or in the query. */
function elsewhere(name: string, path: readonly string[], { query, body }: Endpoint): string | undefined {
  const [slot = ''] = path;
  const places: [string[], z.ZodType | undefined][] = [
    ...path.slice(1, -1).map((_, index): [string[], z.ZodType | undefined] => {
      const around = path.slice(1, index + 1);
      return [[slot, ...around], schemaAt(slot === 'query' ? query : body, around)];
    }),
    [['body'], body],
    [['query'], query],
  ];
  const found = places.find(([, schema]) => schema !== undefined && membersOf(schema).includes(name));
  return found && [...found[0], name].map(shown).join('.');
}

function schemaAt(schema: z.ZodType | undefined, path: readonly string[]): z.ZodType | undefined {
  let found = schema;
  for (const name of path) {
    const object: z.core.$ZodTypeDef | undefined = found && unwrapped(found)._zod.def;
    found = object?.type === 'object' ? (object as Def<'object'>).shape[name] : undefined;
  }
  return found;
}

function membersOf(schema: z.ZodType): string[] {
  const { def } = unwrapped(schema)._zod;
  return def.type === 'object' ? Object.keys((def as Def<'object'>).shape) : [];
}

/** Definitions of the kinds of schemas that have members, or that wrap others. */
interface Defs {
  readonly object: { readonly shape: Readonly<Record<string, z.ZodType>>; readonly catchall?: z.ZodType };
  readonly array: { readonly element: z.ZodType };
  readonly tuple: { readonly items: readonly z.ZodType[]; readonly rest: z.ZodType | null };
  readonly record: { readonly valueType: z.ZodType };
  readonly union: { readonly options: readonly z.ZodType[] };
  readonly intersection: { readonly left: z.ZodType; readonly right: z.ZodType };
  readonly pipe: { readonly in: z.ZodType; readonly out: z.ZodType };
  readonly lazy: { readonly getter: () => z.ZodType };
  readonly wrapper: { readonly innerType: z.ZodType };
}
type Def<K extends keyof Defs> = z.core.$ZodTypeDef & Defs[K];

/** Looks behind defaults, optional values, transforms and the like. */
function unwrapped(schema: z.ZodType): z.ZodType {
  const { def } = schema._zod;
  if ('innerType' in def) return unwrapped((def as Def<'wrapper'>).innerType);
  if (def.type === 'lazy') return unwrapped((def as Def<'lazy'>).getter());
  if (def.type !== 'pipe') return schema;
  const { in: before, out } = def as Def<'pipe'>;
  // A preprocessed value has the members of the schema behind.
  return unwrapped(before._zod.def.type === 'transform' ? out : before);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Finds members that a schema does not have, at most `max`. Without a schema, all are unknown. */
function unknownMembers(schema: z.ZodType | undefined, value: unknown, max: number): Unknown[] {
  if (!isObject(value)) return [];
  if (schema !== undefined) return collect(schema, value, [], max);
  if (Array.isArray(value)) return [];
  return Object.keys(value)
    .slice(0, max)
    .map((name) => ({ path: [name], known: [] }));
}

function collect(schema: z.ZodType, value: unknown, path: readonly string[], max: number): Unknown[] {
  if (!isObject(value)) return [];
  const { def } = unwrapped(schema)._zod;
  const each = (members: Iterable<readonly [string, unknown, z.ZodType | undefined | null]>): Unknown[] => {
    const found: Unknown[] = [];
    for (const [name, member, memberSchema] of members) {
      if (found.length >= max) break;
      if (memberSchema) found.push(...collect(memberSchema, member, [...path, name], max - found.length));
    }
    return found;
  };
  switch (def.type) {
    case 'object':
      return Array.isArray(value) ? [] : inObject(def as Def<'object'>, value, path, max);
    case 'array': {
      const { element } = def as Def<'array'>;
      return each(Array.isArray(value) ? value.map((one, at) => [String(at), one, element] as const) : []);
    }
    case 'tuple': {
      const { items, rest } = def as Def<'tuple'>;
      return each(Array.isArray(value) ? value.map((one, at) => [String(at), one, items[at] ?? rest] as const) : []);
    }
    case 'record': {
      const { valueType } = def as Def<'record'>;
      return each(Object.entries(value).map(([name, one]) => [name, one, valueType] as const));
    }
    case 'union':
      return inUnion((def as Def<'union'>).options, value, path, max);
    case 'intersection': {
      const { left, right } = def as Def<'intersection'>;
      const inRight = new Set(collect(right, value, path, Number.POSITIVE_INFINITY).map(keyOf));
      const inLeft = collect(left, value, path, Number.POSITIVE_INFINITY);
      return inLeft.filter((unknown) => inRight.has(keyOf(unknown))).slice(0, max);
    }
    default:
      return [];
  }
}

const keyOf = ({ path }: Unknown): string => JSON.stringify(path);

function inObject({ shape, catchall }: Def<'object'>, value: object, path: readonly string[], max: number): Unknown[] {
  const isOpen = catchall !== undefined && catchall._zod.def.type !== 'never';
  const found: Unknown[] = [];
  let known: string[] | undefined;
  for (const name of Object.keys(value)) {
    if (found.length >= max) break;
    const member = (value as Readonly<Record<string, unknown>>)[name];
    // `__proto__` and `constructor` are names like any other.
    const schema = Object.hasOwn(shape, name) ? shape[name] : isOpen ? catchall : undefined;
    if (schema === undefined) {
      known ??= Object.keys(shape);
      found.push({ path: [...path, name], known });
    } else found.push(...collect(schema, member, [...path, name], max - found.length));
  }
  return found;
}

/** The option that accepts the value decides; where none does, the one with the fewest unknown members. */
function inUnion(options: readonly z.ZodType[], value: object, path: readonly string[], max: number): Unknown[] {
  const fitting = options.filter((option) => takes(option, value));
  const accepting = fitting.filter((option) => option.safeParse(value).success);
  const candidates = accepting.length > 0 ? accepting : fitting;
  let fewest: Unknown[] | undefined;
  for (const option of candidates) {
    const found = collect(option, value, path, max);
    if (fewest === undefined || found.length < fewest.length) fewest = found;
  }
  return fewest ?? [];
}

/** True where a schema is about lists, or about objects, as the value is. */
function takes(schema: z.ZodType, value: object): boolean {
  const { type } = unwrapped(schema)._zod.def;
  if (type === 'array' || type === 'tuple') return Array.isArray(value);
  if (type === 'object' || type === 'record') return !Array.isArray(value);
  return type === 'union' || type === 'intersection' || type === 'any' || type === 'unknown' || type === 'custom';
}
