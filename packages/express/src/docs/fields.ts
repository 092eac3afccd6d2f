// Tables of fields.
import type { JsonSchema, Parameter } from '../openapi/types.ts';

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes text for an element or a quoted attribute. */
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (character) => ESCAPES[character] ?? character);

/** Escapes text, and shows its parts in backquotes as code. */
export const prose = (text: string): string => escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');

/** A row of a table: its first cell is the heading. */
export const row = (heading: string, ...cells: readonly string[]): string => rowWithId(undefined, heading, ...cells);

/** A row that links can point to. */
export const rowWithId = (id: string | undefined, heading: string, ...cells: readonly string[]): string =>
  `<tr${id === undefined ? '' : ` id="${id}"`}><th scope="row">${heading}</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;

/** A table with a title; nothing without rows. */
const titledTable = (title: string, rows: readonly string[]): string =>
  rows.length === 0 ? '' : `<h4>${title}</h4>${table(rows)}`;

/** Joins rows, which are escaped HTML already, into a table. */
export const table = (rows: readonly string[]): string => `<table>${rows.join('')}</table>`;

/** Fields of a schema as a table, down to the nouns, which have tables of their own. */
export function schemaTable(title: string, schema: JsonSchema, showRequired: boolean): string {
  const rows = fieldRows(schema, '', showRequired);
  return titledTable(title, rows.length > 0 ? rows : [row('', typeOf(schema), prose(schema.description ?? ''))]);
}

/** Values in the query, the path or the headers as a table. */
export const parameterTable = (parameters: readonly Parameter[]): string =>
  titledTable(
    'Parameters',
    parameters.map(({ name, in: place, required, schema, description = '' }) =>
      row(named(name, required === true), `${place}: ${typeOf(schema)}`, noteOf({ ...schema, description })),
    ),
  );

/** Rows for the fields of an object; nested fields have a path. */
function fieldRows(schema: JsonSchema, path: string, showRequired: boolean): string[] {
  if (schema.items !== undefined) return fieldRows(schema.items, `${path}[]`, showRequired);
  if (schema.properties === undefined) {
    const variant = schema.anyOf?.find(({ type }) => type !== 'null');
    return variant === undefined ? [] : fieldRows(variant, path, showRequired);
  }
  return Object.entries(schema.properties).flatMap(([name, field]) => {
    const full = path === '' ? name : `${path}.${name}`;
    const isRequired = showRequired && schema.required?.includes(name) === true && field.default === undefined;
    return [row(named(full, isRequired), typeOf(field), noteOf(field)), ...fieldRows(field, full, showRequired)];
  });
}

const named = (name: string, isRequired: boolean) => `${escapeHtml(name)}${isRequired ? ' <i>required</i>' : ''}`;

function noteOf({ description, default: usual }: JsonSchema): string {
  const isNotified = usual === undefined || description?.toLowerCase().includes('default') === true;
  return prose([description, isNotified ? undefined : `default ${JSON.stringify(usual)}`].filter(Boolean).join('; '));
}

/** Type of a value as HTML; a noun is a link. */
export function typeOf(schema: JsonSchema): string {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    return `<a href="#${name}">${name}</a>`;
  }
  if (schema.const !== undefined) return escapeHtml(JSON.stringify(schema.const));
  if (schema.enum !== undefined) return schema.enum.map((value) => escapeHtml(JSON.stringify(value))).join(' | ');
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants !== undefined) return [...new Set(variants.map(typeOf))].join(' | ');
  if (schema.items !== undefined) return `${typeOf(schema.items)}[]`;
  if (schema.contentSchema !== undefined) return `text of ${typeOf(schema.contentSchema)}`;
  if (typeof schema.additionalProperties === 'object') return `{name: ${typeOf(schema.additionalProperties)}}`;
  return [schema.type ?? 'any'].flat().join(' | ');
}
