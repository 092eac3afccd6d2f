// Values that fit a schema, with ids that count up and one fixed time, so that tests always see the same.
import type * as z from 'zod';
import { type NounSample, nounSamples } from './noun-samples.ts';

/** Creates values that fit schemas. */
export type Sample = (schema: z.ZodType) => unknown;

/** Texts of the formats of zod. */
const FORMATS: Readonly<Record<string, string>> = {
  email: 'ann@example.com',
  url: 'https://example.com/',
  uuid: '7f3c1b0e-5f2a-4d8c-9b1e-2a6d4c8e0f13',
  datetime: '2026-01-31T09:05:07Z',
  date: '2026-01-31',
  time: '09:05:07',
  ipv4: '192.0.2.7',
  ipv6: '2001:db8::7',
  cidrv4: '192.0.2.0/24',
  cidrv6: '2001:db8::/32',
};

/** The parts of a definition of zod that samples are made of. */
interface Definition {
  readonly type: string;
  readonly format?: string;
  readonly shape: Readonly<Record<string, z.ZodType>>;
  readonly options: readonly z.ZodType[];
  readonly items: readonly z.ZodType[];
  readonly values: readonly unknown[];
  readonly entries: Readonly<Record<string, unknown>>;
  readonly innerType: z.ZodType;
  readonly element: z.ZodType;
  readonly in: z.ZodType;
  readonly out: z.ZodType;
  readonly left: z.ZodType;
  readonly right: z.ZodType;
  readonly defaultValue: unknown;
  readonly getter: () => z.ZodType;
}

const definitionOf = (schema: z.ZodType): Definition => schema._zod.def as unknown as Definition;

/** Creates a source of samples. Nouns of Quarterdeck have meaningful values, everything else the least that fits. */
export function createSample(nowMs: number): Sample {
  const nouns: ReadonlyMap<z.ZodType, NounSample> = nounSamples(nowMs);
  const ids = new Map<z.ZodType, number>();

  /** The values of a noun, else those of the schema's own example. */
  const valuesOf = (schema: z.ZodType): object => {
    const noun = nouns.get(schema);
    if (noun === undefined) return (schema.meta()?.['examples'] as object[] | undefined)?.[0] ?? {};
    const id = (ids.get(schema) ?? 0) + 1;
    ids.set(schema, id);
    return noun(id);
  };

  const objectOf = (schema: z.ZodType): object => {
    const own = valuesOf(schema);
    const needed = Object.entries(definitionOf(schema).shape).filter(
      ([name, field]) => !(name in own) && field._zod.optout !== 'optional',
    );
    // An answer is complete unless a test says otherwise.
    const rest = needed.map(([name, field]) => [name, name === 'complete' ? true : sample(field)]);
    return { ...Object.fromEntries(rest), ...own };
  };

  const pipeOf = (schema: z.ZodType): unknown => {
    const { in: from, out } = definitionOf(schema);
    return definitionOf(out).type === 'transform' ? schema.parse(sample(from)) : sample(out);
  };

  const sample: Sample = (schema) => {
    const { type, ...definition } = definitionOf(schema);
    switch (type) {
      case 'object':
        return objectOf(schema);
      case 'array':
        return Array.from({ length: leastOf(schema) }, () => sample(definition.element));
      case 'tuple':
        return definition.items.map(sample);
      case 'record':
        return {};
      case 'string':
        return textOf(schema);
      case 'number':
        return leastOf(schema);
      case 'boolean':
        return false;
      case 'null':
      case 'nullable':
        return null;
      case 'literal':
        return definition.values[0];
      case 'enum':
        return Object.values(definition.entries)[0];
      case 'union':
        return definition.options[0] && sample(definition.options[0]);
      case 'intersection':
        return { ...(sample(definition.left) as object), ...(sample(definition.right) as object) };
      case 'default':
      case 'prefault':
        return definition.defaultValue;
      case 'readonly':
      case 'nonoptional':
      case 'catch':
        return sample(definition.innerType);
      case 'pipe':
        return pipeOf(schema);
      case 'lazy':
        return sample(definition.getter());
      default:
        return undefined;
    }
  };
  return sample;
}

/** The parts of the definition of a check that samples must observe. */
interface Check {
  readonly check: string;
  readonly format?: string;
  readonly value?: number;
  readonly inclusive?: boolean;
  readonly minimum?: number;
  readonly length?: number;
}

const checksOf = (schema: z.ZodType): Check[] =>
  (schema._zod.def.checks ?? []).map(({ _zod }) => _zod.def as unknown as Check);

/** The least number, length or count that a schema accepts, 0 where it accepts that. */
function leastOf(schema: z.ZodType): number {
  return checksOf(schema).reduce((least, { check, value = 0, inclusive = true, minimum = 0, length = 0 }) => {
    switch (check) {
      case 'greater_than':
        return Math.max(least, inclusive ? value : value + 1);
      case 'less_than':
        return Math.min(least, inclusive ? value : value - 1);
      case 'min_length':
      case 'length_equals':
        return Math.max(least, minimum, length);
      default:
        return least;
    }
  }, 0);
}

function textOf(schema: z.ZodType): string {
  const formats = [definitionOf(schema), ...checksOf(schema)].map(({ format = '' }) => FORMATS[format]);
  return formats.find((text) => text !== undefined) ?? 'x'.repeat(leastOf(schema));
}
