// One operation on the page.
import { type ErrorCode, wireCode } from '@quarterdeck/core';
import type { ApiResponse, JsonSchema, OpenApiDocument, Operation, Parameter, Ref } from '../openapi/types.ts';
import { escapeHtml, parameterTable, prose, row, schemaTable, table } from './fields.ts';

/** Security scheme -> its header, with the variable that holds the credential. */
const CREDENTIALS: Readonly<Record<string, string>> = {
  session: 'edge-token: $SESSION',
  apiToken: 'API-Token: $TOKEN',
};

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Returns the curl command for an operation. `$URL` is the server, and the ids in its path are 1. */
function curlOf(method: string, path: string, { security, requestBody, responses }: Operation): string {
  const schemes = security.flatMap((scheme) => Object.keys(scheme));
  const scheme = schemes.includes('apiToken') ? 'apiToken' : schemes[0];
  const body = requestBody?.content['application/json']?.example;
  const success = responses['200'];
  const isStream = success !== undefined && 'content' in success && 'text/event-stream' in success.content;
  return [
    'curl',
    ...(isStream ? ['-N'] : []),
    ...(method === 'get' ? [] : ['-X', method.toUpperCase()]),
    ...(scheme === undefined ? [] : ['-H', `"${CREDENTIALS[scheme]}"`]),
    ...(body === undefined ? [] : ['-H', "'Content-Type: application/json'", '-d', quoted(JSON.stringify(body))]),
    `"$URL${path.replaceAll(/\{\w+\}/g, '1')}"`,
  ].join(' ');
}

/** An operation with its place. */
export interface PlacedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** Returns the article about an operation. Its id is that of the operation. */
export function operationArticle(document: OpenApiDocument, { method, path, operation }: PlacedOperation): string {
  const { operationId: id, summary, description, parameters = [], requestBody } = operation;
  const body = requestBody?.content['application/json']?.schema;
  return `<article id="${id}"><h3><b>${method.toUpperCase()}</b> <span>${escapeHtml(path)}</span>
<a class="anchor" href="#${id}" aria-label="Link to ${id}">#</a></h3>
<p>${prose(summary)}. ${prose(description)}</p>
<pre><code>${escapeHtml(curlOf(method, path, operation))}</code></pre>
${parameterTable(parameters.map((one) => ('$ref' in one ? parameterOf(document, one) : one)))}
${body === undefined ? '' : schemaTable('Body', body, true)}
${answerTables((operation.responses['200'] ?? operation.responses['204'] ?? operation.responses['303']) as ApiResponse)}
${failureTable(document, operation)}</article>`;
}

const lastOf = ({ $ref }: Ref) => $ref.split('/').at(-1) ?? '';

const parameterOf = ({ components }: OpenApiDocument, ref: Ref) => components.parameters[lastOf(ref)] as Parameter;

/** The data of an answer in the envelope, and the text of others. */
function answerTables({ content }: ApiResponse): string {
  return Object.entries(content)
    .map(([type, { schema }]) => {
      const data: JsonSchema | undefined = isEnvelope(schema) ? schema.properties?.['data'] : schema;
      const title = isEnvelope(schema) ? 'Data' : `Answer, ${escapeHtml(type)}`;
      return data === undefined ? '' : schemaTable(title, data, false);
    })
    .join('');
}

const isEnvelope = ({ properties }: JsonSchema) => properties?.['status']?.const === 0;

/** The error codes of an operation by status, with links to their meaning. */
function failureTable({ components }: OpenApiDocument, { responses }: Operation): string {
  const rows = Object.entries(responses).flatMap(([status, response]) => {
    if (!('$ref' in response)) return [];
    const codes = Object.keys(components.responses[lastOf(response)]?.content['application/json']?.examples ?? {});
    return [
      row(status, (codes as ErrorCode[]).map((code) => `<a href="#error-${code}">${wireCode(code)}</a>`).join(' ')),
    ];
  });
  return `<details><summary>Errors</summary>${table(rows)}</details>`;
}
