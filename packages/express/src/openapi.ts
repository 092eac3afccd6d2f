// The OpenAPI 3.1 document of a contract, as "@quarterdeck/express/openapi".
import { type Contract, type Endpoint, Failure, Problem } from '@quarterdeck/core';
import { z } from 'zod';
import { type ExampleValues, withExamples } from './openapi/examples.ts';
import { type FailureRules, failureExamples, failureResponses } from './openapi/failures.ts';
import { HEADER_PARAMETERS, HEADERS } from './openapi/headers.ts';
import { contractPaths, type OperationTools, SECURITY_SCHEMES } from './openapi/operations.ts';
import { type Noun, SchemaWriter } from './openapi/schemas.ts';
import type { Info, OpenApiDocument, Parameter, Paths } from './openapi/types.ts';

export { createDocsPage, DOCS_CSP, type DocsOptions, type DocsSection } from './docs.ts';
export type { ExampleValues } from './openapi/examples.ts';
export { errorCodes, type FailureRules, failureRefs } from './openapi/failures.ts';
export { successHeaders } from './openapi/headers.ts';
export { head, type OperationTools } from './openapi/operations.ts';
export { type Noun, SchemaWriter } from './openapi/schemas.ts';
export type * from './openapi/types.ts';

/** Routes beside a contract, whose answers have no envelope. */
export interface OtherRoutes {
  readonly endpoints: readonly Endpoint[];
  readonly paths: (tools: OperationTools) => Paths;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly parameters: Readonly<Record<string, Parameter>>;
}

/** Options of {@link createDocument}. */
export interface DocumentOptions {
  readonly contract: Contract;
  readonly info: Info;
  readonly servers?: readonly unknown[] | undefined;
  /** Noun of the contract -> a sentence about its operations. */
  readonly tags?: Readonly<Record<string, string>> | undefined;
  /** Schemas that become components, by name. */
  readonly nouns?: Readonly<Record<string, Noun>> | undefined;
  readonly rules?: FailureRules | undefined;
  /** Schema of a line, for endpoints that take lines. */
  readonly line?: z.ZodType | undefined;
  readonly examples?: ExampleValues | undefined;
  readonly others?: OtherRoutes | undefined;
}

const NO_RULES: FailureRules = { anyRequest: [], anyChange: [], isCounted: () => false };
const SAME_HOST = [{ url: '/', description: 'The server that this document comes from' }];
const ENVELOPE: Readonly<Record<string, Noun>> = {
  Failure: { schema: Failure, description: 'A failure; `status` is the HTTP status.' },
  Problem: { schema: Problem, description: 'A failure as a problem document of RFC 9457.' },
};

/** Creates the document of a contract. */
export function createDocument(options: DocumentOptions): OpenApiDocument {
  const { contract, others, rules = NO_RULES } = options;
  const schemas = new SchemaWriter({ ...ENVELOPE, ...options.nouns });
  const tools: OperationTools = { schemas, rules, line: options.line };
  const endpoints = [...Object.values(contract).flatMap((table) => Object.values(table)), ...(others?.endpoints ?? [])];
  // The forms of answers come first: bodies compare theirs with them.
  for (const { data } of endpoints) if (!(data instanceof z.ZodUndefined)) schemas.output(data);
  const paths = { ...contractPaths(contract, tools), ...others?.paths(tools) };
  schemas.output(z.union([Failure, Problem]));
  const responses = failureResponses(endpoints, rules);
  const text = JSON.stringify([paths, responses]);
  const used = <T>(kind: string, components: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(components).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`)));
  const tags =
    options.tags ?? Object.fromEntries(Object.keys(contract).map((noun) => [noun, `Operations of ${noun}.`]));
  const document: OpenApiDocument = {
    openapi: '3.1.1',
    info: options.info,
    servers: options.servers ?? SAME_HOST,
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    components: {
      schemas: schemas.components(),
      securitySchemes: SECURITY_SCHEMES,
      headers: used('headers', { ...HEADERS, ...others?.headers }),
      parameters: used('parameters', { ...HEADER_PARAMETERS, ...others?.parameters }),
      examples: failureExamples(endpoints, rules),
      responses,
    },
    paths,
  };
  return withExamples(document, options.examples);
}
