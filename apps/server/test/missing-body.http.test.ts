// A missing body is refused wherever the contract requires one, so that no client sends `{}` by mistake.
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../test/non-empty.ts';
import { everyThird } from '../../../test/thoroughness.ts';
import { openApiDocument } from '../src/http/openapi.ts';
import { pathOf, ROUTES, type Route } from './endpoints.ts';
import { sendRaw } from './raw-socket.ts';
import { type TestApi, useSharedApi } from './start-api.ts';

const api = useSharedApi();
let agent: Awaited<ReturnType<TestApi['agent']>>;
beforeAll(async () => {
  agent = await api.agent();
});

const MISSING: readonly [name: string, headers: string, bytes: string][] = [
  ['neither length nor body', '', ''],
  ['a length of 0', 'Content-Length: 0\r\n', ''],
  ['no chunk', 'Transfer-Encoding: chunked\r\n', '0\r\n\r\n'],
  ['white space', 'Content-Type: application/json\r\nContent-Length: 4\r\n', ' \t\r\n'],
  ['a chunk of white space', 'Transfer-Encoding: chunked\r\n', '2\r\n\n\n\r\n0\r\n\r\n'],
];

const withBody = ROUTES.filter(({ method, endpoint }) => method !== 'GET' && endpoint.body !== undefined);
const isOptional = ({ endpoint }: Route) => endpoint.bodyOptional === true;
const REQUIRED = withBody.filter((route) => !isOptional(route));

/** Sends one request and returns its answer's status and error code. */
async function ask({ method, path, access }: Route, headers: string, bytes: string): Promise<[number, string]> {
  const credential = access === 'agent' ? `API-Token: ${agent.secret}` : `edge-token: ${api.adminToken}`;
  const head = `${method} ${pathOf({ path }, agent.id)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${credential}\r\n`;
  const [answer] = await sendRaw(api.server.port, `${head}${headers}\r\n${bytes}`);
  return [answer?.status ?? 0, JSON.parse(answer?.body ?? '{}').err?.code];
}

describe('a request without a body', () => {
  it.each(nonEmpty(everyThird(REQUIRED, 0)))('is refused by $method $path', async (route) => {
    for (const [name, headers, bytes] of MISSING) {
      expect([name, ...(await ask(route, headers, bytes))]).toEqual([name, 400, 'body_missing']);
    }
  });

  it('is a report of an agent like {}, and nothing else', async () => {
    const optional = ROUTES.filter(isOptional);
    expect(optional.map(({ name }) => name)).toEqual(['agent.heartbeat', 'deviceLogin.start']);
    for (const [, headers, bytes] of MISSING) {
      for (const route of optional) expect(await ask(route, headers, bytes)).toEqual([200, undefined]);
    }
  });

  it('may end an agent, whose shutdown takes no body', async () => {
    const route = ROUTES.find(({ name }) => name === 'agent.shutdown');
    if (route === undefined) throw new Error('there is no agent.shutdown');
    expect(route.endpoint.body).toBeUndefined();
    for (const [, headers, bytes] of MISSING) expect(await ask(route, headers, bytes)).toEqual([200, undefined]);
  });

  it('is also one whose compressed body is empty', async () => {
    const answer = await api.fetch('/admin-api/log_server/errlog', {
      method: 'POST',
      headers: { 'edge-token': api.adminToken, 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
      body: new Uint8Array(gzipSync('')),
    });
    expect([answer.status, answer.body.err.code]).toEqual([400, 'body_missing']);
  });

  it('is documented in the OpenAPI document', () => {
    const { paths = {} } = openApiDocument();
    for (const { method, path, endpoint } of withBody) {
      const operation = (paths[path] as Record<string, { requestBody?: { required?: boolean } }>)[method.toLowerCase()];
      expect([path, operation?.requestBody?.required]).toEqual([path, endpoint.bodyOptional !== true]);
    }
  });
});
