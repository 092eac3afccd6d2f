// Writes src/generated/calls.ts, the methods of the client with their docstrings, and src/generated/routes.ts, the
// table that they send requests by.
import { accessText, contract, type Endpoint, ERRORS, NOUNS, wireCode } from '@quarterdeck/core';
import type * as z from 'zod';
import { HEADER } from './nouns.ts';
import { definitionOf, isNothing, isOptional, shapeOf } from './schema-facts.ts';
import { docstring, membersText, typeText } from './type-text.ts';

const pascal = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

/** Parameters that a client must know by name to read a list. */
const PAGING = ['page', 'page_size', 'start', 'end', 'cursor', '_page', '_pagesize'];

interface Method {
  readonly noun: string;
  readonly verb: string;
  readonly endpoint: Endpoint;
}

const METHODS: readonly Method[] = Object.entries(contract).flatMap(([noun, table]) =>
  Object.entries(table).map(([verb, endpoint]) => ({ noun, verb, endpoint })),
);

/** Docstring of a method: summary, address, access, its own errors, and its replacement where it is deprecated. */
function methodDocstring({ method, path, summary, access, errors, deprecated }: Endpoint): string {
  const tags = (errors ?? []).map((code) => `\n@throws ApiError \`${wireCode(code)}\`: ${ERRORS[code].message}`);
  if (deprecated !== undefined)
    tags.push(`\n@deprecated Use ${deprecated.use}; it may be missing from ${deprecated.sunset}.`);
  const text = `${summary}.\n\n\`${method} ${path}\`. ${accessText(access)}`;
  return docstring(tags.length === 0 ? text : `${text}\n${tags.join('')}`, '  ');
}

/** Reports whether an input may be omitted: it has no member that is required. */
const mayOmit = (schema: z.core.$ZodType) =>
  Object.values(shapeOf(schema) ?? { body: schema }).every((member) => isOptional(member, 'input'));

/** Name of the input of a method, and the declarations that it needs. */
function inputOf({ noun, verb, endpoint }: Method): { readonly name: string; readonly declarations: string[] } {
  const { params, query, body } = endpoint;
  if (params === undefined && query === undefined && body === undefined) return { name: 'NoInput', declarations: [] };
  const method = `client.${noun}.${verb}`;
  const prefix = `${pascal(noun)}${pascal(verb)}`;
  const declarations: string[] = [];
  const members: string[] = [];
  const add = (slot: string, schema: z.ZodType, type: string) =>
    members.push(`  ${slot}${mayOmit(schema) ? '?' : ''}: ${type};\n`);
  if (params !== undefined) add('params', params, membersText(shapeOf(params) ?? {}, 'input', '  '));
  if (query !== undefined) {
    const name = `${prefix}Query`;
    declarations.push(
      `/** Query of \`${method}\`. */\nexport interface ${name} ${membersText(shapeOf(query) ?? {}, 'input')}\n`,
    );
    add('query', query, name);
  }
  if (body !== undefined) add('body', body, typeText(body, 'input', '  '));
  const name = `${prefix}Input`;
  declarations.push(`/** Input of \`${method}\`. */\nexport interface ${name} {\n${members.join('')}}\n`);
  return { name, declarations };
}

/** Reports whether a method returns a page: rows with their total. */
function isList({ bareList, data }: Endpoint): boolean {
  const meta = shapeOf(shapeOf(data)?.['meta']);
  return bareList === true || (meta !== undefined && 'count' in meta);
}

function callText({ verb, endpoint }: Method, input: string): string {
  const data = typeText(endpoint.data, 'output', '  ');
  const row = definitionOf(endpoint.data);
  const page = endpoint.bareList === true && row.type === 'array' ? `, Page<${typeText(row.element, 'output')}>` : '';
  const call = isList(endpoint) ? `ListCall<${input}, ${data}${page}>` : `Call<${input}, ${data}>`;
  return `${methodDocstring(endpoint)}  readonly ${verb}: ${call};\n`;
}

/** Returns the text of src/generated/calls.ts. */
export function callsModule(): string {
  const inputs = new Map(METHODS.map((method) => [method, inputOf(method)]));
  const tables = Object.keys(contract).map((noun) => {
    const methods = METHODS.filter((method) => method.noun === noun);
    const calls = methods.map((method) => callText(method, inputs.get(method)?.name ?? ''));
    return `/** Methods of \`client.${noun}\`. */\nexport interface ${pascal(noun)}Calls {\n${calls.join('\n')}}\n`;
  });
  const declarations = [...inputs.values()].flatMap((input) => input.declarations);
  const body = `${declarations.join('\n')}
${tables.join('\n')}
/** Every endpoint by noun and verb. */
export interface Calls {
${Object.keys(contract)
  .map((noun) => `  readonly ${noun}: ${pascal(noun)}Calls;\n`)
  .join('')}}
`;
  return `${HEADER}import type { Call, ListCall, NoInput } from '../request/call.ts';
${importText(body)}
${body}`;
}

/** Imports the nouns that a text names. */
function importText(body: string): string {
  const names = ['Page', ...Object.keys(NOUNS)].filter((name) => new RegExp(`[ <]${name}[<;,>[ ]`).test(body));
  return `import type {\n${names
    .sort()
    .map((name) => `  ${name},\n`)
    .join('')}} from './nouns.ts';\n`;
}

/** Returns the text of src/generated/routes.ts. */
export function routesModule(): string {
  const tables = Object.keys(contract).map((noun) => {
    const routes = METHODS.filter((method) => method.noun === noun).map(
      ({ verb, endpoint }) => `    ${verb}: ${routeText(endpoint)},\n`,
    );
    return `  ${noun}: {\n${routes.join('')}  },\n`;
  });
  return `${HEADER}import { endpoint, paged, type Routes } from '../request/route.ts';

/** Every endpoint by noun and verb, without schemas. */
export const ROUTES = {
${tables.join('')}} as const satisfies Routes;
`;
}

function routeText({ method, path, access, query, body, bareList, data }: Endpoint): string {
  const paging = Object.keys(shapeOf(query) ?? {}).filter((name) => PAGING.includes(name));
  const more = [
    ...(paging.length === 0 ? [] : [`query: paged(${paging.map((name) => `'${name}'`).join(', ')})`]),
    ...(body === undefined ? [] : ['body: true']),
    ...(bareList === true ? ['bareList: true'] : []),
  ];
  const parts = [`'${method}'`, `'${path}'`, `'${access}'`, isNothing(data) ? '0' : '1'];
  return `endpoint(${[...parts, ...(more.length === 0 ? [] : [`{ ${more.join(', ')} }`])].join(', ')})`;
}
