// Converts the schemas of the contract to JSON Schema. A noun becomes a component with its name.
import { z } from 'zod';
import type { JsonSchema, Parameter } from './types.ts';

/**
 * Form of a value. A default makes a field optional in a request, and always present in an answer. Objects of `closed`,
 * a request, have no other fields.
 */
type Form = 'input' | 'closed' | 'output';

/** A schema that becomes a component. */
export interface Noun {
  readonly schema: z.ZodType;
  readonly description: string;
}

/** Converts schemas, and collects the nouns in them. */
export class SchemaWriter {
  readonly #nouns: Readonly<Record<string, Noun>>;
  readonly #components = new Map<string, JsonSchema>();
  /** Nouns as answers and open requests have them, as JSON. */
  readonly #openForms = new Map<string, string>();
  /** The metadata of the schemas, with the names of the nouns as ids. */
  readonly #named: typeof z.globalRegistry;

  constructor(nouns: Readonly<Record<string, Noun>> = {}) {
    this.#nouns = nouns;
    const names = new Map(Object.entries(nouns).map(([name, { schema }]) => [schema, name]));
    this.#named = {
      get(schema: z.ZodType) {
        const meta = z.globalRegistry.get(schema);
        const name = names.get(schema);
        return name === undefined ? meta : { ...meta, id: name };
      },
    } as unknown as typeof z.globalRegistry;
  }

  /** Converts the schema of a request. */
  input = (schema: z.ZodType): JsonSchema => this.#convert(schema, 'input');

  /**
   * Converts the schema of a body whose unknown fields are refused. A noun that answers have too gets a closed form
   * beside its own, such as `AlertConditionInput`, so convert the answers before.
   */
  closedInput = (schema: z.ZodType): JsonSchema => this.#convert(schema, 'closed');

  /** Converts the schema of an answer. */
  output = (schema: z.ZodType): JsonSchema => this.#convert(schema, 'output');

  /** Converts an object of query or path values. */
  parameters(place: 'path' | 'query', schema: z.ZodType | undefined): Parameter[] {
    if (schema === undefined) return [];
    // A copy is no noun, whose members would be hidden behind its name.
    const { properties = {}, required = [] } = this.input(z.object((schema as z.ZodObject).shape));
    return Object.entries(properties).map(([name, { description, ...field }]) => ({
      name,
      in: place,
      ...(place === 'path' || required.includes(name) ? { required: true } : {}),
      ...(description === undefined ? {} : { description }),
      schema: field,
    }));
  }

  /** Nouns of the converted schemas, by name. */
  components(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#components].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #convert(schema: z.ZodType, form: Form): JsonSchema {
    // As a member, a noun becomes a reference too.
    const { $defs = {}, properties } = z.toJSONSchema(z.object({ it: schema }), {
      io: form === 'output' ? 'output' : 'input',
      metadata: this.#named,
      unrepresentable: 'any',
      override: form === 'closed' ? tidyClosed : tidy,
    }) as unknown as Converted;
    const nameOf = (name: string) => (form === 'closed' && this.#differs(name, $defs) ? `${name}Input` : name);
    const moved = <T>(part: T): T =>
      JSON.parse(
        JSON.stringify(part).replaceAll(REFERENCE, (_, name: string) => `"#/components/schemas/${nameOf(name)}"`),
      );
    for (const [name, definition] of Object.entries($defs)) {
      if (form !== 'closed') this.#openForms.set(name, JSON.stringify(definition));
      this.#add(nameOf(name), moved(definition), this.#nouns[name]?.description);
    }
    return moved(properties.it);
  }

  /** True for a noun that has another form elsewhere, or a noun in it that has. */
  #differs(name: string, $defs: Readonly<Record<string, JsonSchema>>): boolean {
    const text = JSON.stringify($defs[name]);
    const open = this.#openForms.get(name);
    if (open === undefined) return false;
    return text !== open || [...text.matchAll(REFERENCE)].some(([, inner = '']) => this.#differs(inner, $defs));
  }

  #add(name: string, definition: JsonSchema, description = ''): void {
    const schema = { description, ...definition };
    const known = this.#components.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`${name} has two forms, in requests and in answers: make it two nouns`);
    }
    this.#components.set(name, schema);
  }
}

interface Converted {
  readonly $defs?: Record<string, JsonSchema>;
  readonly properties: { readonly it: JsonSchema };
}

const REFERENCE = /"#\/\$defs\/([^"]+)"/g;

/** Removes the keywords that zod writes for every integer, record and object of an answer. */
const tidy: NonNullable<z.core.ToJSONSchemaParams['override']> = ({ jsonSchema: json, zodSchema }) => {
  const { _zod } = zodSchema;
  delete json.id;
  if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
  if (_zod.def.type === 'record' && JSON.stringify(json.propertyNames) === '{"type":"string"}')
    delete json.propertyNames;
  // A later version may answer with more fields.
  if (_zod.def.type === 'object' && _zod.def.catchall === undefined) delete json.additionalProperties;
  // Zod omits the examples and defaults of schemas that transform, because they may be results. Ours are requests.
  const examples = z.globalRegistry.get(zodSchema)?.['examples'];
  if (examples !== undefined) json['examples'] = examples as unknown[];
  if (_zod.def.type === 'default') json.default = _zod.def.defaultValue as z.core.JSONSchema.BaseSchema['default'];
};

/** Removes the same, and refuses fields that an object of a request does not have. */
const tidyClosed: typeof tidy = (context) => {
  tidy(context);
  const { def } = context.zodSchema._zod;
  if (def.type === 'object' && def.catchall === undefined) context.jsonSchema.additionalProperties = false;
};
