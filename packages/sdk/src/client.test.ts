import { inspect } from 'node:util';
import { contract, endpoint } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { nonEmpty } from '../../../test/non-empty.ts';
import { ok, startServer } from '../test/start-server.ts';
import { thrownBy } from '../test/thrown-by.ts';
import { type ClientOptions, createClient, paginate } from './index.ts';

const TOKEN = 'qd_t_client-test';
const SESSION = 'qd_s_client-test';

const noHeader = (name: string) =>
  `${name} has a character that an HTTP header cannot carry (a line break at its end?)`;

describe('createClient', () => {
  it('has every endpoint of the contract', () => {
    const client = createClient({ url: 'http://host' });
    for (const [noun, table] of Object.entries(contract)) {
      for (const [verb, endpoint] of Object.entries(table)) {
        const { method, path, access } = endpoint;
        expect(client).toHaveProperty([noun, verb, 'endpoint'], expect.objectContaining({ method, path, access }));
      }
    }
  });

  it('refuses to check answers without a contract', () => {
    expect(() => createClient({ url: 'http://host', checkAnswers: true })).toThrow(
      'checkAnswers needs a contract, such as that of @quarterdeck/sdk/contract',
    );
  });

  it('has the endpoints of a contract of your own, with the types of its schemas', async () => {
    const greeting = {
      say: endpoint({
        method: 'POST',
        path: '/greeting/{id}',
        summary: 'Says hello',
        access: 'public',
        params: z.object({ id: z.string() }),
        body: z.object({ name: z.string() }),
        data: z.object({ text: z.string() }),
      }),
      list: endpoint({
        method: 'GET',
        path: '/greeting',
        summary: 'Greetings',
        access: 'public',
        query: z.object({ page: z.int().optional(), page_size: z.int().optional(), loud: z.boolean().optional() }),
        data: z.object({ data: z.array(z.string()), meta: z.object({ count: z.int() }) }),
      }),
    };
    await using server = await startServer((...args) => {
      const [, { method, url, body }] = args;
      const answer = method === 'GET' ? { data: ['hello'], meta: { count: 1 } } : { text: `${url} ${body}` };
      return ok(answer)(...args);
    });
    const client = createClient({ url: server.url, contract: { greeting }, checkAnswers: true });
    const { text } = await client.greeting.say({ params: { id: 'a b' }, body: { name: 'Ada' } });
    expect(text).toBe('/greeting/a%20b {"name":"Ada"}');
    for await (const row of paginate(client.greeting.list, { query: { loud: true } })) expect(row.at(0)).toBe('h');
    expect(Object.keys(client)).toEqual(['greeting']);
  });

  const wrong: [string, Partial<ClientOptions>, string][] = [
    ['a wrong url', { url: 'localhost:7080' }, 'url lacks http:// or https:// before "localhost:7080"'],
    ['a wrong console url', { consoleUrl: '/console' }, 'consoleUrl is not a url: "/console"'],
    ['a token from a file with its line break', { apiToken: `${TOKEN}\n` }, noHeader('apiToken')],
    ['a token with a blank at its end', { apiToken: `${TOKEN} ` }, noHeader('apiToken')],
    ['a token in other letters', { sessionToken: `${TOKEN}é` }, noHeader('sessionToken')],
    ['a user agent of two lines', { userAgent: 'a\r\nb' }, noHeader('userAgent')],
    ['no time at all', { timeoutMs: 0 }, 'timeoutMs must be more than 0 milliseconds'],
    ['time that is not a number', { timeoutMs: Number.NaN }, 'timeoutMs must be more than 0 milliseconds'],
    ['fewer retries than none', { retries: -1 }, 'retries must be a whole number from 0'],
  ];
  it.each(nonEmpty(wrong))('refuses %s at once, without repeating a credential', (_, options, message) => {
    const error = thrownBy(() => createClient({ url: 'http://host', ...options }));
    expect(error).toEqual(new TypeError(message));
    expect(inspect(error, { depth: Infinity, showHidden: true })).not.toContain(TOKEN);
  });
});

describe('a call', () => {
  it('sends what the contract says', async () => {
    await using server = await startServer(ok({}));
    const { apiToken, errlog, agent } = createClient({ url: server.url });
    await apiToken.list({ query: { page: 2, detail: 1 } });
    await apiToken.get({ params: { id: 7 } });
    await apiToken.create({ body: { name: 'ci', expire: 0 } });
    await agent.list({ query: { include_deleted: true } });
    await errlog.append({ body: [{ level: 'error', log: 'a' }] });
    expect(server.seen.map(({ method, url, headers, body }) => [method, url, headers['content-type'], body])).toEqual([
      ['GET', '/admin-api/api_token?page=2&detail=1', undefined, ''],
      ['GET', '/admin-api/api_token/7', undefined, ''],
      ['POST', '/admin-api/api_token', 'application/json', '{"name":"ci","expire":0}'],
      ['GET', '/api/agents?include_deleted=1', undefined, ''],
      ['POST', '/admin-api/log_server/errlog', 'application/json', '[{"level":"error","log":"a"}]'],
    ]);
    for (const { headers } of server.seen) expect(headers.accept).toBe('application/json');
  });

  it('needs no input for optional slots, and sends the body an endpoint requires', async () => {
    await using server = await startServer(ok({ interval: 30 }));
    const client = createClient({ url: server.url });
    await client.user.me();
    await client.agent.heartbeat({ params: { id: 3 } });
    await client.apiToken.create();
    await client.apiToken.rotate({ params: { id: 3 } });
    expect(server.seen.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['GET', '/admin-api/user/me', ''],
      ['POST', '/api/agents/3/heartbeat', '{}'],
      ['POST', '/admin-api/api_token', '{}'],
      ['POST', '/admin-api/api_token/3/rotate', '{}'],
    ]);
  });

  it('resolves with the data as it is on the wire, fields it does not know included', async () => {
    await using server = await startServer(ok({ id: 1, fromTheFuture: [1] }));
    const { apiToken } = createClient({ url: server.url });
    expect(await apiToken.get({ params: { id: 1 } })).toEqual({ id: 1, fromTheFuture: [1] });
  });

  it('resolves with undefined for an answer without data', async () => {
    await using server = await startServer(ok(undefined));
    const { apiToken } = createClient({ url: server.url });
    expect(await apiToken.remove({ params: { id: 1 } })).toBeUndefined();
  });

  it('goes to the console for agents, and to the administration site otherwise', async () => {
    await using site = await startServer(ok([]));
    await using console_ = await startServer(ok([]));
    const client = createClient({ url: `${site.url}/site/`, consoleUrl: `${console_.url}/console` });
    await client.user.me();
    await client.agent.list();
    await client.agent.heartbeat({ params: { id: 3 } });
    expect(site.seen.map(({ url }) => url)).toEqual(['/site/admin-api/user/me']);
    expect(console_.seen.map(({ url }) => url)).toEqual(['/console/api/agents', '/console/api/agents/3/heartbeat']);
  });
});

describe('credentials', () => {
  const cases: [string, Partial<ClientOptions>, string | undefined, string | undefined][] = [
    ['nothing', {}, undefined, undefined],
    ['an API token', { apiToken: TOKEN }, TOKEN, undefined],
    ['a session token', { sessionToken: SESSION }, undefined, SESSION],
    ['the API token of both', { apiToken: TOKEN, sessionToken: SESSION }, TOKEN, undefined],
    ['what a function gives', { apiToken: () => undefined, sessionToken: () => SESSION }, undefined, SESSION],
    ['nothing for an empty one', { apiToken: '', sessionToken: () => '' }, undefined, undefined],
  ];
  it.each(nonEmpty(cases))('sends %s', async (_, options, apiToken, sessionToken) => {
    await using server = await startServer(ok({}));
    await createClient({ url: server.url, ...options }).user.me();
    expect(server.seen[0]?.headers['api-token']).toBe(apiToken);
    expect(server.seen[0]?.headers['edge-token']).toBe(sessionToken);
    expect(server.seen[0]?.headers.cookie ?? server.seen[0]?.headers.authorization).toBeUndefined();
  });

  it('that a header cannot carry are refused without being repeated, also when looked up late', async () => {
    await using server = await startServer();
    const client = createClient({ url: server.url, apiToken: () => `${TOKEN}\u0000` });
    await expect(client.user.me()).rejects.toThrow(new TypeError(noHeader('apiToken')));
    expect(server.seen).toEqual([]);
  });
});

describe('a list', () => {
  const rows = [{ id: 2 }, { id: 1 }];

  it('of agents is the bare array of the wire, and a page of it has the total', async () => {
    await using server = await startServer(ok(rows, { 'x-total-count': '12' }));
    const { agent } = createClient({ url: server.url });
    expect(await agent.list({ query: { _pagesize: 2 } })).toEqual(rows);
    expect(await agent.list.page({ query: { _pagesize: 2 } })).toEqual({ data: rows, meta: { count: 12 } });
  });

  it('of the administration is a page either way', async () => {
    const page = { data: rows, meta: { count: 12 } };
    await using server = await startServer(ok(page));
    const { apiToken } = createClient({ url: server.url });
    expect(await apiToken.list()).toEqual(page);
    expect(await apiToken.list.page()).toEqual(page);
  });

  it.each([undefined, '', 'many', '12x', 'x12'])('says so when its total is %j', async (total) => {
    await using server = await startServer(ok(rows, total === undefined ? {} : { 'x-total-count': total }));
    const { agent } = createClient({ url: server.url });
    await expect(agent.list.page({ query: { _page: 2 } })).rejects.toMatchObject({
      name: 'UnexpectedAnswerError',
      method: 'GET',
      url: `${server.url}/api/agents`,
      message: `Unexpected answer from ${server.url}/api/agents: a list without its X-Total-Count (HTTP 200, application/json)`,
    });
  });
});
