// The OpenAPI document by itself. Its truth is tested with every answer of the other tests (test/answer-check.ts).
import {
  type Contract,
  contract,
  type Endpoint,
  ERRORS,
  type ErrorCode,
  isOpenBody,
  NOUNS,
  wireCode,
} from '@quarterdeck/core';
import {
  type ApiResponse,
  errorCodes,
  type JsonSchema,
  type Operation,
  SchemaWriter,
} from '@quarterdeck/express/openapi';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { IS_THOROUGH } from '../../../../test/thoroughness.ts';
import { OPEN_ENDPOINTS, RAW_ENDPOINTS } from './endpoints/raw-endpoints.ts';
import { OUR_NOUNS } from './openapi/nouns.ts';
import { FAILURE_RULES, openApiBytes, openApiDocument } from './openapi.ts';

const document = openApiDocument();
const operationOf = ({ path, method }: Endpoint) => document.paths[path]?.[method.toLowerCase()] as Operation;
const successOf = (operation: Operation) => operation.responses['200'] as ApiResponse;
const exampleOf = (operation: Operation) => successOf(operation).content['application/json']?.example;

const contractEndpoints = Object.entries(contract as Contract).flatMap(([noun, table]) =>
  Object.entries(table).map(([verb, endpoint]) => ({ name: `${noun}_${verb}`, endpoint })),
);
const withoutEnvelope = [...Object.values(RAW_ENDPOINTS), ...OPEN_ENDPOINTS.map(({ endpoint }) => endpoint)];

describe('the OpenAPI document', () => {
  it.runIf(IS_THOROUGH)('passes the recommended rules of Redocly, but for the paths of the wire contract', async () => {
    const config = await createConfig({ extends: ['recommended'], rules: { 'no-ambiguous-paths': 'off' } });
    const problems = await lintFromString({ source: openApiBytes().toString(), config });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
  });

  it('names every noun', () => {
    expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining(Object.keys(NOUNS)));
    const { schema } = successOf(operationOf(contract.agent.get)).content['application/json'] ?? {};
    expect(schema?.properties?.['data']).toEqual({ $ref: '#/components/schemas/Agent' });
  });

  it('refuses a noun that is not the same in requests and answers', () => {
    const schemas = new SchemaWriter(OUR_NOUNS);
    schemas.output(NOUNS.EnrollmentDraft);
    expect(() => schemas.input(NOUNS.EnrollmentDraft)).toThrow('EnrollmentDraft has two forms');
  });

  it('closes the bodies whose unknown fields are refused, and no others', () => {
    const schemaOf = (schema: JsonSchema): JsonSchema =>
      schema.$ref === undefined ? schema : (document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {});
    for (const { name, endpoint } of contractEndpoints.filter(({ endpoint: { body } }) => body !== undefined)) {
      const schema = operationOf(endpoint).requestBody?.content['application/json']?.schema ?? {};
      const isOpen = isOpenBody(endpoint) || endpoint.unknownInput === 'ignored';
      expect([name, schemaOf(schema).additionalProperties]).toEqual([name, isOpen ? undefined : false]);
    }
    // A noun of requests and answers has two forms: a later version may answer with more fields.
    const { AlertRuleDraft, AlertRule } = document.components.schemas;
    const whens = [AlertRuleDraft, AlertRule].map((rule) => rule?.properties?.['when'] ?? {});
    expect(whens.map(({ $ref }) => $ref?.split('/').at(-1))).toEqual(['AlertConditionInput', 'AlertCondition']);
    expect(whens.map((when) => schemaOf(when).additionalProperties)).toEqual([false, undefined]);
  });

  it('has an operation for each endpoint, by a stable id and in a described group', () => {
    for (const { name, endpoint } of contractEndpoints) expect(operationOf(endpoint).operationId).toBe(name);
    const all = Object.values(document.paths).flatMap((path) => Object.values(path));
    expect(new Set(all.map(({ operationId }) => operationId)).size).toBe(all.length);
    const described = document.tags.filter(({ description }) => description !== '').map(({ name }) => name);
    expect(described).toEqual(expect.arrayContaining([...new Set(all.flatMap(({ tags }) => tags))]));
  });

  it('has the routes without an envelope, with their media types', () => {
    const types = withoutEnvelope.map((endpoint) => [
      endpoint.path,
      Object.keys(
        ((operationOf(endpoint).responses['204'] ?? operationOf(endpoint).responses['303']) as ApiResponse | undefined)
          ?.content ?? successOf(operationOf(endpoint)).content,
      ),
    ]);
    expect(Object.fromEntries(types)).toEqual({
      '/admin-api/audit/export': ['application/x-ndjson'],
      '/admin-api/events': ['text/event-stream'],
      '/admin-api/log_server/errlog/export': ['application/x-ndjson', 'text/csv'],
      '/admin-api/log_server/line/export': ['application/x-ndjson', 'text/csv'],
      '/v1/logs': ['application/json', 'application/x-protobuf'],
      '/loki/api/v1/push': [],
      '/admin-api/webhook/{id}/callback': [],
      '/auth/oidc/{provider}': ['text/plain'],
      '/auth/oidc/{provider}/callback': ['text/plain'],
      '/auth/oidc/{provider}/logout': ['text/plain'],
      '/auth/oidc/{provider}/backchannel-logout': ['application/json'],
      '/_bulk': ['application/json', 'application/vnd.elasticsearch+json'],
      '/{index}/_bulk': ['application/json', 'application/vnd.elasticsearch+json'],
      '/api/{project}/envelope': ['application/json'],
      '/api/{project}/store': ['application/json'],
      '/mcp': ['application/json', 'text/event-stream'],
      '/metrics': ['text/plain'],
      '/': ['application/json', 'application/vnd.elasticsearch+json', 'text/html'],
      '/healthz': ['application/json'],
      '/readyz': ['application/json'],
      '/openapi.json': ['application/json'],
      '/docs': ['text/html'],
    });
  });
});

describe('an operation', () => {
  it('has the headers that it takes and answers with', () => {
    const taken = ({ parameters = [] }: Operation) => parameters.flatMap((one) => ('$ref' in one ? [one.$ref] : []));
    const idempotent = contractEndpoints.filter(({ endpoint }) =>
      taken(operationOf(endpoint)).includes('#/components/parameters/Idempotency-Key'),
    );
    expect(idempotent.map(({ name }) => name)).toEqual(['errlog_append', 'change_create']);
    const answered = (endpoint: Endpoint) => Object.keys(successOf(operationOf(endpoint)).headers);
    expect(answered(contract.agent.list)).toEqual(['X-Request-Id', 'X-Total-Count', 'Quarterdeck-Ignored']);
    expect(answered(contract.agent.update)).toEqual(expect.arrayContaining(['RateLimit', 'RateLimit-Policy']));
    expect(answered(contract.agent.heartbeat)).toEqual(['X-Request-Id']);
  });

  it.each(nonEmpty(contractEndpoints))('has examples that the server takes and gives: $name', ({ endpoint }) => {
    const operation = operationOf(endpoint);
    const example = exampleOf(operation) as { data: unknown };
    if (endpoint.data instanceof z.ZodUndefined) expect(example).toEqual({ status: 0 });
    else expect(endpoint.data.safeParse(example.data).error).toBeUndefined();
    if (endpoint.body === undefined) return;
    expect(endpoint.body.safeParse(operation.requestBody?.content['application/json']?.example).error).toBeUndefined();
  });

  it.each(nonEmpty([...contractEndpoints.map(({ endpoint }) => endpoint), ...withoutEnvelope]))(
    'has an example of each failure, under its status: $method $path',
    (endpoint) => {
      const failures = Object.entries(operationOf(endpoint).responses).filter(([status]) => Number(status) >= 400);
      const codes = failures.flatMap(([status, response]) => {
        const { content } =
          document.components.responses[(response as { $ref: string }).$ref.split('/').at(-1) ?? ''] ?? {};
        return Object.keys(content?.['application/json']?.examples ?? {}).map((code) => [code, Number(status)]);
      });
      const expected = [...errorCodes(endpoint, FAILURE_RULES)].map((code): [ErrorCode, number] => [
        code,
        ERRORS[code].status,
      ]);
      expect(Object.fromEntries(codes)).toEqual(Object.fromEntries(expected));
      for (const [code, status] of expected) {
        expect(document.components.examples[code]?.value).toMatchObject({ status, err: { code: wireCode(code) } });
      }
    },
  );
});
