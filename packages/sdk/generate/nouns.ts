// Writes src/generated/nouns.ts: every noun as a plain interface.
import {
  contract,
  type Endpoint,
  EVENTS,
  EventQuery,
  Failure,
  LineExportQuery,
  NOUN_DESCRIPTIONS,
  NOUNS,
  type NounName,
} from '@quarterdeck/core';
import type * as z from 'zod';
import { definitionOf, innerOf, nounOf, type Side } from './schema-facts.ts';
import { docstring, structureText } from './type-text.ts';

const HEADER = '// Written by packages/sdk/generate: `pnpm generate`.\n';

/** Nouns by the sides on which they occur. */
function nounsBySide(): Record<Side, ReadonlySet<NounName>> {
  const sides = { input: new Set<NounName>(), output: new Set<NounName>() };
  const endpoints: Endpoint[] = Object.values(contract).flatMap((table) => Object.values(table));
  for (const { params, query, body, data } of endpoints) {
    for (const schema of [params, query, body]) if (schema !== undefined) visit(schema, sides.input);
    visit(data, sides.output);
  }
  for (const schema of [Failure, ...Object.values(EVENTS)]) visit(schema, sides.output);
  return sides;
}

function visit(schema: z.core.$ZodType, found: Set<NounName>): void {
  const name = nounOf(schema);
  if (name !== undefined) found.add(name);
  for (const part of partsOf(schema)) visit(part, found);
}

/** Schemas of which a schema directly consists. */
function partsOf(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  const inner = innerOf(schema);
  if (inner !== undefined) return [inner];
  const def = definitionOf(schema);
  switch (def.type) {
    case 'object':
      return Object.values(def.shape);
    case 'array':
      return [def.element];
    case 'record':
      return [def.keyType, def.valueType];
    case 'union':
      return def.options;
    case 'pipe':
      return [def.in, def.out];
    default:
      return [];
  }
}

/** Returns the side whose type a noun has, and checks that there is one. */
function sideOf(name: NounName, sides: Record<Side, ReadonlySet<NounName>>): Side {
  if (!sides.output.has(name)) return 'input';
  if (sides.input.has(name) && structureText(NOUNS[name], 'input') !== structureText(NOUNS[name], 'output')) {
    throw new Error(`${name} has two types: give the input a schema of its own`);
  }
  return 'output';
}

function declarationText(name: string, description: string | undefined, schema: z.core.$ZodType, side: Side): string {
  const structure = structureText(schema, side);
  const isObject = definitionOf(schema).type === 'object';
  return `${docstring(description)}export ${isObject ? `interface ${name} ${structure}` : `type ${name} = ${structure};`}\n`;
}

/** Returns the text of src/generated/nouns.ts. */
export function nounsModule(): string {
  const sides = nounsBySide();
  const names = Object.keys(NOUNS) as NounName[];
  const declared = names.map((name) =>
    declarationText(name, NOUN_DESCRIPTIONS[name], NOUNS[name], sideOf(name, sides)),
  );
  const events = Object.entries(EVENTS).map(
    ([type, schema]) => `  | { readonly id: string; readonly type: '${type}'; readonly data: ${nounOf(schema)} }`,
  );
  return `${HEADER}
/** Rows of an administration list, and their total. */
export interface Page<Row> {
  data: Row[];
  meta: { count: number };
}

${declared.join('\n')}
${declarationText('EventQuery', 'Query of the event stream.', EventQuery, 'input')}
${declarationText('LineExportQuery', 'Query of an export of lines.', LineExportQuery, 'input')}
/** One event as a subscriber receives it: its type decides its data. */
export type QuarterdeckEvent =
${events.join('\n')};

export type EventType = QuarterdeckEvent['type'];

/** Every type of event. */
export const EVENT_TYPES = [
${Object.keys(EVENTS)
  .map((type) => `  '${type}',\n`)
  .join('')}] as const satisfies readonly EventType[];

/** Every noun by its name. */
export interface Nouns {
${names.map((name) => `  ${name}: ${name};\n`).join('')}}
`;
}

export { HEADER };
