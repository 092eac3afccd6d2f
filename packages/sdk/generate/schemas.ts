// Writes src/generated/schemas.ts: schemas of the data of answers and events, for zod's small variant, which a bundler
// can shake. A program makes those that it uses: all of them take 2 MB.
import { contract, type Endpoint, ErrlogEntry, EVENTS, Line, NOUNS, type NounName } from '@quarterdeck/core';
import type * as z from 'zod';
import { HEADER } from './nouns.ts';
import { definitionOf, isNothing, keyText, nounOf, quote } from './schema-facts.ts';

/** Nouns that are written already, in the order in which they need each other. */
type Declared = Map<NounName, string>;

/** Writes a schema: a call of the function of a noun, which it declares before, or its structure. */
function schemaText(schema: z.core.$ZodType, declared: Declared, indent = ''): string {
  const name = nounOf(schema);
  return name === undefined ? structureText(schema, declared, indent) : `${declare(name, declared)}()`;
}

/** Writes a function that makes a schema when it is first called. */
function makerText(schema: z.core.$ZodType, declared: Declared, indent = ''): string {
  const name = nounOf(schema);
  return name === undefined ? onceText(schema, declared, indent) : declare(name, declared);
}

const onceText = (schema: z.core.$ZodType, declared: Declared, indent = ''): string =>
  `once(() => ${structureText(schema, declared, indent)})`;

/** Declares the function of a noun. */
function declare(name: NounName, declared: Declared): NounName {
  if (!declared.has(name)) declared.set(name, `const ${name} = ${onceText(NOUNS[name], declared)};`);
  return name;
}

function structureText(schema: z.core.$ZodType, declared: Declared, indent = ''): string {
  const def = definitionOf(schema);
  const text = (inner: z.core.$ZodType) => schemaText(inner, declared, indent);
  switch (def.type) {
    case 'string':
      return checked('z.string()', def.checks);
    case 'number':
      return checked('format' in def ? 'z.int()' : 'z.number()', def.checks);
    case 'boolean':
    case 'unknown':
    case 'never':
      return `z.${def.type}()`;
    case 'literal':
      return `z.literal([${def.values.map((value) => (typeof value === 'string' ? quote(value) : String(value))).join(', ')}])`;
    case 'enum':
      return `z.enum([${Object.values(def.entries)
        .map((value) => quote(String(value)))
        .join(', ')}])`;
    case 'array':
      return checked(`z.array(${text(def.element)})`, def.checks);
    case 'object': {
      const inside = `${indent}  `;
      const members = Object.entries(def.shape).map(
        ([name, member]) => `${inside}${keyText(name)}: ${schemaText(member, declared, inside)},\n`,
      );
      return `z.object({\n${members.join('')}${indent}})`;
    }
    case 'record':
      return `z.${def.partial === true ? 'partialRecord' : 'record'}(${text(def.keyType)}, ${text(def.valueType)})`;
    case 'template_literal':
      return `z.templateLiteral([${def.parts.map((part) => (isSchema(part) ? text(part) : quote(String(part)))).join(', ')}])`;
    case 'union':
      return `z.union([${def.options.map(text).join(', ')}])`;
    case 'optional':
    case 'nullable':
      return `z.${def.type}(${text(def.innerType)})`;
    default:
      throw new Error(`no schema for an answer of the type ${def.type}`);
  }
}

const isSchema = (part: unknown): part is z.core.$ZodType => typeof part === 'object' && part !== null;

/** Adds the checks of a schema. Those by a function cannot be written, and concern what callers send. */
function checked(text: string, checks: readonly z.core.$ZodCheck[] = []): string {
  const parts = checks.map(checkText).filter((part) => part !== undefined);
  return parts.length === 0 ? text : `${text}.check(${parts.join(', ')})`;
}

function checkText(check: z.core.$ZodCheck): string | undefined {
  const { def } = (check as z.core.$ZodChecks)._zod;
  switch (def.check) {
    case 'greater_than':
      return `z.${def.inclusive ? 'minimum' : 'gt'}(${def.value})`;
    case 'less_than':
      // An integer is safe anyway.
      if (def.value === Number.MAX_SAFE_INTEGER) return undefined;
      return `z.${def.inclusive ? 'maximum' : 'lt'}(${def.value})`;
    case 'min_length':
      return `z.minLength(${def.minimum})`;
    case 'max_length':
      return `z.maxLength(${def.maximum})`;
    case 'length_equals':
      return `z.length(${def.length})`;
    case 'string_format':
      if (def.format !== 'regex' || def.pattern === undefined) throw new Error(`no check for the format ${def.format}`);
      return `z.regex(${def.pattern})`;
    default:
      if ((def.check as string) === 'custom') return undefined;
      throw new Error(`no text for the check ${def.check}`);
  }
}

/** Returns the text of src/generated/schemas.ts. */
export function schemasModule(): string {
  const declared: Declared = new Map();
  const tables = Object.entries(contract).map(([noun, table]) => {
    const data = Object.entries(table as Readonly<Record<string, Endpoint>>).flatMap(([verb, endpoint]) =>
      isNothing(endpoint.data) ? [] : [`    ${verb}: ${makerText(endpoint.data, declared, '    ')},\n`],
    );
    return `  ${noun}: {\n${data.join('')}  },\n`;
  });
  const events = Object.entries(EVENTS).map(
    ([type, schema]) => `  ${keyText(type)}: ${makerText(schema, declared, '  ')},\n`,
  );
  const rows = [ErrlogEntry, Line].map((row) => makerText(row, declared));
  return `${HEADER}import * as z from 'zod/mini';

function once<Schema>(make: () => Schema): () => Schema {
  let made: Schema | undefined;
  return () => (made ??= make());
}

${[...declared.values()].join('\n\n')}

/** Data of the answer of each endpoint that has any. */
export const DATA = {
${tables.join('')}};

/** Data of each type of event. */
export const EVENTS = {
${events.join('')}};

export const ROWS = { errlog: ${rows[0]}, line: ${rows[1]} };
`;
}
