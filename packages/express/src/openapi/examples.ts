// Examples of bodies and answers, made from their schemas: the constants and examples of a schema, else a value by the
// name of its field.
import type { Content, JsonSchema, OpenApiDocument } from './types.ts';

/** Values that stand for fields and texts in the examples of a document. */
export interface ExampleValues {
  /** Name of a field -> its value, where its schema accepts it. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Media type -> text, for answers without a schema of their parts. */
  readonly texts: Readonly<Record<string, string>>;
}

const NO_VALUES: ExampleValues = { fields: {}, texts: {} };

/** Texts for fields without a value, in the order of preference. */
const ANY_TEXT = ['', '1.4.2', '2026-11-18 20:26:40.000000'];

/** Creates examples of schemas that refer to components. */
export class ExampleWriter {
  readonly #components: Readonly<Record<string, JsonSchema>>;
  readonly #values: ExampleValues;

  constructor(components: Readonly<Record<string, JsonSchema>>, values: ExampleValues) {
    this.#components = components;
    this.#values = values;
  }

  /** Builds a value that the schema accepts. `name` is that of its field. */
  of(schema: JsonSchema, name = ''): unknown {
    if (schema.$ref !== undefined) return this.of(this.#components[schema.$ref.split('/').at(-1) ?? ''] ?? {}, name);
    if (schema.examples !== undefined) return schema.examples.at(-1);
    if (schema.const !== undefined) return schema.const;
    const value = this.#values.fields[name];
    if (value !== undefined && accepts(schema, value)) return value;
    if (schema.enum !== undefined) return schema.enum[0];
    const variant = (schema.anyOf ?? schema.oneOf)?.find(({ type }) => type !== 'null');
    if (variant !== undefined) return this.of(variant, name);
    return this.#ofType(schema, name);
  }

  #ofType(schema: JsonSchema, name: string): unknown {
    switch ([schema.type].flat().find((type) => type !== 'null')) {
      case 'object':
        return this.#object(schema);
      case 'array':
        if (schema.items?.not !== undefined) return [];
        return Array.from({ length: schema.minItems ?? 1 }, () => this.of(schema.items ?? {}, singular(name)));
      case 'integer':
      case 'number':
        return numberOf(schema);
      case 'boolean':
        return false;
      default:
        return ANY_TEXT.find((value) => accepts(schema, value));
    }
  }

  #object({ properties, propertyNames, additionalProperties }: JsonSchema): unknown {
    if (properties !== undefined) {
      return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, this.of(field, name)]));
    }
    const [key] = propertyNames?.enum ?? propertyNames?.anyOf?.[0]?.enum ?? ['site'];
    return typeof additionalProperties === 'object' ? { [String(key)]: this.of(additionalProperties) } : {};
  }
}

const singular = (name: string) => name.replace(/s$/, '');

/** Reports whether a value of the table has the type and the bounds of a field. */
function accepts(schema: JsonSchema, value: unknown): boolean {
  if (schema.anyOf !== undefined) return schema.anyOf.some((variant) => accepts(variant, value));
  if (schema.enum !== undefined) return schema.enum.includes(value);
  const types = [schema.type ?? []].flat();
  if (typeof value === 'number') {
    const isKind = types.includes('number') || (types.includes('integer') && Number.isInteger(value));
    return isKind && value >= (schema.minimum ?? -Infinity) && value <= (schema.maximum ?? Infinity);
  }
  if (typeof value === 'string') {
    return (
      types.includes('string') &&
      value.length >= (schema.minLength ?? 0) &&
      new RegExp(schema.pattern ?? '').test(value)
    );
  }
  if (Array.isArray(value)) return types.includes('array') && value.every((one) => accepts(schema.items ?? {}, one));
  return types.includes('object') && schema.properties === undefined;
}

/** A time where the description says so, else a small number. */
function numberOf({ description = '', minimum = 0 }: JsonSchema): number {
  if (description.startsWith('Unix milliseconds')) return 1_795_000_000_000;
  if (/Unix seconds|^Time|^Begin|^End/.test(description)) return 1_795_000_000;
  return Math.max(1, minimum);
}

/** Gives each body and each answer of a document an example. */
export function withExamples(document: OpenApiDocument, values = NO_VALUES): OpenApiDocument {
  const examples = new ExampleWriter(document.components.schemas, values);
  for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path))) {
    const bodies = [operation.requestBody, ...Object.values(operation.responses)];
    for (const body of bodies) if (body !== undefined && 'content' in body) addTo(body.content, examples, values.texts);
  }
  return document;
}

function addTo(content: Content, examples: ExampleWriter, texts: ExampleValues['texts']): void {
  for (const [type, media] of Object.entries(content)) {
    const example = exampleOf(type, media.schema, examples) ?? texts[type];
    if (example !== undefined) media.example ??= example;
  }
}

function exampleOf(type: string, schema: JsonSchema, examples: ExampleWriter): unknown {
  const { contentSchema } = schema;
  if (type === 'application/json') return examples.of(schema);
  if (contentSchema === undefined) return undefined;
  const item = examples.of(contentSchema);
  if (type === 'application/x-ndjson') return `${JSON.stringify(item)}\n`;
  const { id, event, data } = item as Record<string, unknown>;
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
