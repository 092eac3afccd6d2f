// Writes src/generated/nouns.ts: every schema of the API with a name, and its description. The names are those of the
// exported constants of src/domain, the descriptions their docstrings, so each is written once.
import { readdirSync, readFileSync } from 'node:fs';
import type * as z from 'zod';
import { Failure, Problem } from '../src/base/envelope.ts';
import type { Endpoint } from '../src/contract/endpoint.ts';
import { contract } from '../src/contract/index.ts';
import { EVENTS } from '../src/domain/event.ts';

const source = new URL('../src/', import.meta.url);

interface Noun {
  readonly name: string;
  /** Path of its module, from src. */
  readonly module: string;
  readonly description: string;
}

/** A docstring, the constant it describes, and the array that an enum takes its values from. */
const CONSTANT = /(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?export const (\w+) =(?: z\.enum\((\w+)\))?/g;

interface Constant {
  readonly module: string;
  readonly name: string;
  readonly docstring: string;
  /** Array of the values of an enum. */
  readonly values: string;
  /** True where a type has the same name. */
  readonly hasType: boolean;
}

function constantsOf(module: string): Constant[] {
  const text = readFileSync(new URL(module, source), 'utf8');
  return [...text.matchAll(CONSTANT)].map(([, docstring = '', name = '', values = '']) => {
    return { module, name, docstring: plain(docstring), values, hasType: text.includes(`export type ${name} = z.`) };
  });
}

/** Reports whether a constant is a schema of the API. A schema with a default is a parameter. */
async function isNoun({ module, name }: Constant, used: ReadonlySet<z.ZodType>): Promise<boolean> {
  const exported = (await import(new URL(module, source).href)) as Readonly<Record<string, unknown>>;
  const schema = exported[name];
  return isSchema(schema) && used.has(schema) && schema._zod.def.type !== 'default';
}

/** Text of a docstring, in one line. */
const plain = (docstring: string) =>
  docstring
    .replaceAll(/^\s*\* ?/gm, '')
    .replaceAll(/\{@link\s+([\w.]+)\}/g, '`$1`')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** Every schema that an answer, a request or an event consists of. */
function usedSchemas(): Set<z.ZodType> {
  const used = new Set<z.ZodType>();
  const endpoints: Endpoint[] = Object.values(contract).flatMap((table) => Object.values(table));
  for (const { params, query, body, data } of endpoints) visit([params, query, body, data], used);
  visit([Failure, Problem, Object.values(EVENTS)], used);
  return used;
}

/** Adds the schemas of a value: of a list, of the parts of a schema, and of the schema that it copies. */
function visit(value: unknown, used: Set<z.ZodType>): void {
  if (Array.isArray(value)) {
    for (const item of value) visit(item, used);
  } else if (isSchema(value) && !used.has(value)) {
    used.add(value);
    const { def, parent } = value._zod;
    visit([parent, ...Object.values(def), ...Object.values('shape' in def ? (def.shape as object) : {})], used);
  }
}

const isSchema = (value: unknown): value is z.ZodType => typeof value === 'object' && value !== null && '_zod' in value;

/** Returns the text of src/generated/nouns.ts. */
export async function nounsModule(): Promise<string> {
  const modules = ['base', 'domain']
    .flatMap((folder) => readdirSync(new URL(`${folder}/`, source)).map((file) => `${folder}/${file}`))
    .filter((file) => !file.endsWith('.test.ts'))
    .sort();
  const used = usedSchemas();
  const constants = modules.flatMap(constantsOf);
  const docstrings = new Map(constants.map(({ name, docstring }) => [name, docstring]));
  const found: Noun[] = [];
  for (const constant of constants.filter(({ hasType }) => hasType)) {
    const { module, name, values } = constant;
    if (!(await isNoun(constant, used))) continue;
    const description = constant.docstring || docstrings.get(values);
    if (!description) throw new Error(`${module}: ${name} has no docstring`);
    found.push({ module, name, description });
  }
  const imports = modules.flatMap((module) => {
    const names = found.filter((noun) => noun.module === module).map(({ name }) => name);
    return names.length === 0 ? [] : [`import { ${names.join(', ')} } from '../${module}';`];
  });
  const sorted = found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return `// Written by packages/core/generate/nouns.ts: \`pnpm generate\`.
${imports.join('\n')}

/** Every schema with a name: the named schemas of the OpenAPI document and the interfaces of the SDK. */
export const NOUNS = {
${sorted.map(({ name }) => `  ${name},`).join('\n')}
} as const;

/** Name of a schema in {@link NOUNS}. */
export type NounName = keyof typeof NOUNS;

/** Description of each noun, for people. */
export const NOUN_DESCRIPTIONS: Readonly<Record<NounName, string>> = {
${sorted.map(({ name, description }) => `  ${name}: ${JSON.stringify(description)},`).join('\n')}
};
`;
}
