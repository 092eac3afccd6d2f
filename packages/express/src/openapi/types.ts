// The parts of an OpenAPI 3.1 document that this package writes and reads.

/** JSON Schema, as far as the schemas of the contract use it. */
export interface JsonSchema {
  $ref?: string;
  type?: string | readonly string[];
  description?: string;
  format?: string;
  pattern?: string;
  enum?: readonly unknown[];
  const?: unknown;
  default?: unknown;
  examples?: readonly unknown[];
  properties?: Readonly<Record<string, JsonSchema>>;
  required?: readonly string[];
  propertyNames?: JsonSchema;
  additionalProperties?: JsonSchema | boolean;
  items?: JsonSchema;
  minItems?: number;
  anyOf?: readonly JsonSchema[];
  oneOf?: readonly JsonSchema[];
  not?: JsonSchema;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  contentMediaType?: string;
  contentSchema?: JsonSchema;
}

/** A reference to a component. */
export interface Ref {
  readonly $ref: string;
}

/** Bodies by media type. */
export type Content = Record<
  string,
  { readonly schema: JsonSchema; example?: unknown; readonly examples?: Readonly<Record<string, Ref>> }
>;

/** A header, or a value in a query or path. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

/** An answer. */
export interface ApiResponse {
  readonly description: string;
  readonly headers: Readonly<Record<string, Ref>>;
  readonly content: Content;
}

/** One method of one path. */
export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly deprecated?: boolean;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly (Parameter | Ref)[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, ApiResponse | Ref>>;
  readonly externalDocs?: { readonly url: string; readonly description: string };
}

/** Operations by path and method. */
export type Paths = Record<string, Record<string, Operation>>;

/** Title and version of a service, and more. */
export interface Info {
  readonly title: string;
  readonly version: string;
  readonly [field: string]: unknown;
}

/** A document of OpenAPI 3.1. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: Info;
  readonly servers: readonly unknown[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly responses: Readonly<Record<string, ApiResponse>>;
    readonly examples: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
    readonly [kind: string]: unknown;
  };
  readonly paths: Readonly<Paths>;
}
