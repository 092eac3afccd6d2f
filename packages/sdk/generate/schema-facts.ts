// Facts about schemas that the generators of the SDK need.
import { NOUNS, type NounName, UnixFraction, UnixMs, UnixSeconds } from '@quarterdeck/core';
import * as z from 'zod';

/** Side of a schema: `input` is what a caller writes, `output` what an answer holds. */
export type Side = 'input' | 'output';

const NAMES = new Map<z.core.$ZodType, NounName>(
  Object.entries(NOUNS).map(([name, schema]) => [schema, name as NounName]),
);
const UNITS = new Map<z.core.$ZodType, string>([
  [UnixMs, 'Unix milliseconds'],
  [UnixSeconds, 'Unix seconds'],
  [UnixFraction, 'Unix seconds with fraction'],
]);

/** Returns what a map has for a schema, or for one that it copies: a described or refined one has the same type. */
function findOf<T>(map: ReadonlyMap<z.core.$ZodType, T>, schema: z.core.$ZodType): T | undefined {
  for (let it: z.core.$ZodType | undefined = schema; it !== undefined; it = it._zod.parent) {
    const found = map.get(it);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Name of a schema in `NOUNS`. */
export const nounOf = (schema: z.core.$ZodType): NounName | undefined => findOf(NAMES, schema);

/** The definition of a schema, by the name of its type. */
export const definitionOf = (schema: z.core.$ZodType) => (schema as z.core.$ZodTypes)._zod.def;

/** Schema inside one that only adds `undefined`, `null` or a default. */
export function innerOf(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  const def = definitionOf(schema);
  return def.type === 'optional' || def.type === 'nullable' || def.type === 'default' ? def.innerType : undefined;
}

/** Description of a field, with its unit where the description does not have it. */
export function descriptionOf(schema: z.core.$ZodType): string | undefined {
  let text: string | undefined;
  let unit: string | undefined;
  for (let it: z.core.$ZodType | undefined = schema; it !== undefined; it = innerOf(it)) {
    text ??= nounOf(it) === undefined ? z.globalRegistry.get(it)?.description : undefined;
    unit ??= findOf(UNITS, it);
  }
  if (text === undefined || unit === undefined || text.includes('Unix')) return text ?? unit;
  return `${text} (${unit})`;
}

/** Reports whether a schema accepts anything and makes its values of it; callers write the values. */
export const isPreprocessed = (def: z.core.$ZodTypeDef): boolean =>
  def.type === 'pipe' && definitionOf((def as z.core.$ZodPipeDef).in).type === 'transform';

/** Reports whether a member of an object may be absent. */
export function isOptional(schema: z.core.$ZodType, side: Side): boolean {
  const { def, optin, optout } = schema._zod;
  if (isPreprocessed(def)) return isOptional((def as z.core.$ZodPipeDef).out, side);
  return (side === 'input' ? optin : optout) !== undefined;
}

/** Reports whether an answer has no data. */
export const isNothing = (schema: z.core.$ZodType): boolean => definitionOf(schema).type === 'undefined';

/** Members of an object; undefined for anything else. */
export function shapeOf(schema: z.core.$ZodType | undefined): Readonly<Record<string, z.core.$ZodType>> | undefined {
  const def = schema === undefined ? undefined : definitionOf(schema);
  return def?.type === 'object' ? def.shape : undefined;
}

/** Row of a list whose `meta` is its count alone; undefined for anything else. */
export function rowOf(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  const { data, meta, ...rest } = shapeOf(schema) ?? {};
  if (data === undefined || Object.keys(rest).length > 0) return undefined;
  const list = definitionOf(data);
  return Object.keys(shapeOf(meta) ?? {}).join() === 'count' && list.type === 'array' ? list.element : undefined;
}

/** Quotes a text for TypeScript. */
export const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** Writes the name of a member. */
export const keyText = (name: string): string => (/^[\w$]+$/.test(name) ? name : quote(name));
