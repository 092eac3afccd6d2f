// Tables of fields.
import type { JsonSchema, Parameter } from '../openapi/types.ts';
import { escapeHtml, prose, row, titledTable } from './html.ts';

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
