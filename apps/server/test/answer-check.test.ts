// The check of answers by itself: it finds each kind of difference.
import { gzipSync } from 'node:zlib';
import type { ApiResponse, OpenApiDocument } from '@quarterdeck/express/openapi';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../src/http/openapi.ts';
import { AnswerCheck, type Answered } from './answer-check.ts';

const document = openApiDocument();
const check = new AnswerCheck(document);

const HEADERS = { 'content-type': 'application/json; charset=utf-8', 'x-request-id': 'a-request-1' };
const URL = '/admin-api/change/7';
const documented = document.paths['/admin-api/change/{id}']?.['get']?.responses['200'] as ApiResponse;
const done = documented.content['application/json']?.example as { data: Record<string, unknown> };
const failure = (code: string) => document.components.examples[code]?.value as Record<string, unknown>;

const problems = (body: unknown = null, changed: Partial<Answered> = {}) =>
  check.problemsOf({
    method: 'GET',
    url: URL,
    status: 200,
    headers: HEADERS,
    body: Buffer.from(JSON.stringify(body)),
    ...changed,
  });

describe('AnswerCheck', () => {
  it('accepts an answer as documented, under each spelling of its path', () => {
    for (const url of [URL, `${URL}/`, `${URL}?x=y`, '/api/v1/change/7', `http://x${URL}`]) {
      expect(problems(done, { url })).toEqual([]);
    }
    expect(problems(failure('not_found'), { status: 404 })).toEqual([]);
    expect(problems(failure('not_found'), { url: '/api/v1/change/7' })).toEqual([]);
    expect(problems(undefined, { method: 'HEAD', body: undefined })).toEqual([]);
  });

  it('takes a request for a host alone for one of its root', () => {
    const page = { content: {}, description: '', headers: {} };
    const operation = { ...document.paths['/healthz']?.['get'], responses: { '404': page } };
    const root = new AnswerCheck({ ...document, paths: { '/': { get: operation } } } as OpenApiDocument);
    for (const url of ['/', 'http://x', 'http://x?a=b']) {
      const answered = { method: 'GET', url, status: 200, headers: HEADERS, body: undefined };
      expect(root.problemsOf(answered)).toEqual([`GET ${url}: 200: undocumented status`]);
    }
  });

  it('reads a compressed answer', () => {
    const headers = { ...HEADERS, 'content-encoding': 'gzip' };
    const packed = (body: unknown) => ({ headers, body: gzipSync(JSON.stringify(body)) });
    expect(problems(undefined, packed(done))).toEqual([]);
    expect(problems(undefined, packed({ ...done, data: {} }))).not.toEqual([]);
  });

  it.each([
    ['a field that the document lacks', { ...done, data: { ...done.data, color: 'red' } }, {}],
    ['a missing field', { ...done, data: {} }, {}],
    ['a field of another type', { ...done, data: { ...done.data, id: 'seven' } }, {}],
    ['an undocumented status', done, { status: 201 }],
    ['an undocumented error code', failure('last_master'), { status: 404 }],
    ['a failure with a success status', failure('not_found'), {}],
    ['an undocumented header', done, { headers: { ...HEADERS, 'x-other': '1' } }],
    ['a missing header', done, { headers: { 'content-type': HEADERS['content-type'] } }],
    [
      'a header of another type',
      failure('overloaded'),
      { status: 503, headers: { ...HEADERS, 'retry-after': 'soon' } },
    ],
    ['an undocumented media type', done, { headers: { ...HEADERS, 'content-type': 'text/plain' } }],
    ['a method that the path lacks', done, { method: 'POST' }],
    ['an unknown path', done, { url: '/admin-api/nothing' }],
    ['a failure of another form', { status: 404, err: { code: 'unknown_path' } }, { status: 404 }],
  ])('finds %s', (_, body, changed) => {
    expect(problems(body, changed)).not.toEqual([]);
  });

  it('reads each event of a stream and each line of an export', () => {
    const stream = { url: '/admin-api/events', headers: { ...HEADERS, 'content-type': 'text/event-stream' } };
    const removed = (data: string) => Buffer.from(`: ping\n\nid: 1\nevent: agent.removed\ndata: ${data}\n\n`);
    expect(problems(undefined, { ...stream, body: removed('{"id":1}') })).toEqual([]);
    expect(problems(undefined, { ...stream, body: removed('{"id":"1"}') })).not.toEqual([]);
    const file = {
      url: '/admin-api/log_server/line/export',
      headers: { ...HEADERS, 'content-type': 'application/x-ndjson' },
    };
    expect(problems(undefined, { ...file, body: Buffer.from('{"id":"1"}\n') })).not.toEqual([]);
  });
});
