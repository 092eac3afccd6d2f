import { endpoint } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { everyThird } from '../../../../test/thoroughness.ts';
import { clientOf, hasty } from '../../test/fake-client.ts';
import { createClient } from '../client.ts';
import { build } from './build.ts';
import { EVENT_STREAM, quarterdeck } from './endpoints.ts';
import { createFake, refusal } from './fake.ts';
import { namedEndpoints } from './find-route.ts';
import { createSample } from './sample.ts';

describe('a fake without answers', () => {
  const endpoints = namedEndpoints(quarterdeck).filter((one) => one.endpoint !== EVENT_STREAM);

  it.each(nonEmpty(everyThird(endpoints, 0)))(
    'answers $name as its contract says',
    async ({ name, endpoint: { method, path, body, data: schema } }) => {
      const fake = createFake();
      const query = name === 'line.values' ? '?field=host' : '';
      const answer = await fake.fetch(`${fake.url}${path.replaceAll(/\{\w+\}/g, '7')}${query}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(createSample(0)(body)) }),
      });
      const text = await answer.text();
      expect([text, answer.status]).toEqual([expect.any(String), 200]);
      if (name.endsWith('.export')) return;
      const { status, data } = JSON.parse(text) as { status: number; data: unknown };
      expect([status, schema.safeParse(data).error?.issues]).toEqual([0, undefined]);
    },
  );

  it('returns what a request has named', async () => {
    const client = clientOf(createFake());
    expect((await client.agent.get({ params: { id: 7 } })).id).toBe(7);
    expect(await client.apiToken.create({ body: { name: 'ci' } })).toMatchObject({
      name: 'ci',
      token: expect.stringMatching(/^qd_t_/),
    });
    const body = [build.errlogLine(), build.errlogLine()];
    expect(await client.errlog.append({ body })).toEqual({ accepted: 2, refused: [] });
    expect(await client.errlog.append({ body: build.errlogLine() })).toEqual({ accepted: 1, refused: [] });
    expect(await client.errlog.list()).toEqual({ data: [], meta: { count: 0 } });
    expect(await client.agent.list.page()).toEqual({ data: [], meta: { count: 0 } });
  });
});

describe('refusals of a fake', () => {
  const ask = async (path: string, init?: RequestInit) => {
    const fake = createFake();
    const answer = await fake.fetch(`${fake.url}${path}`, init);
    return { status: answer.status, allow: answer.headers.get('allow'), body: await answer.json() };
  };

  it('have the envelope of the server', async () => {
    expect(await ask('/nowhere')).toMatchObject({ status: 404, body: { status: 404, err: { code: 'unknown_path' } } });
    const method = await ask('/admin-api/user/logout/', { method: 'PUT' });
    expect(method).toMatchObject({
      status: 405,
      allow: 'HEAD, POST, GET',
      body: { err: { code: 'method_not_allowed' } },
    });
    const broken = await ask('/admin-api/user/login', { method: 'POST', body: '{' });
    expect(broken.body).toMatchObject({ err: { code: 'malformed_json', request_id: 'fake-1' } });
    expect(await ask('/admin-api/api_token/%zz')).toMatchObject({ body: { err: { code: 'bad_request' } } });
    const empty = await ask('/admin-api/api_token', { method: 'POST' });
    expect(empty.body).toMatchObject({ err: { code: 'body_missing' } });
    const text = await ask('/admin-api/api_token', {
      method: 'POST',
      body: 'x',
      headers: { 'content-type': 'text/x' },
    });
    expect(text.body).toMatchObject({ err: { code: 'unsupported_media_type' } });
  });

  it('name every invalid field', async () => {
    const client = clientOf(createFake());
    const listed = client.errlog.list({ query: { page_size: 10_001, level: 9 } });
    await expect(listed).rejects.toMatchObject({
      code: 'validation_failed',
      fields: [{ path: 'query.page_size' }, { path: 'query.level' }],
    });
    await expect(client.apiToken.update({ params: { id: 1 }, body: {} })).rejects.toMatchObject({
      message: 'body: give name or expire',
    });
  });

  it('are those of the test', async () => {
    const fake = createFake();
    const client = clientOf(fake);
    fake.fails('apiToken.create', 'token_limit_reached', { detail: 'At most 3.' });
    const refused = client.apiToken.create({ body: {} });
    await expect(refused).rejects.toMatchObject({ code: 'token_limit_reached', status: 409, detail: 'At most 3.' });
    fake.on('errlog.get', () => {
      throw refusal('not_found');
    });
    await expect(client.errlog.get({ params: { id: 3 } })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('last for as many calls as they are given', async () => {
    const fake = createFake();
    fake.on('system.version', { version: 7, product_type: 'x' });
    fake.fails('system.version', 'overloaded', { times: 2 });
    const client = createClient({ url: fake.url, fetch: fake.fetch, clock: hasty });
    expect((await client.system.version()).version).toBe(7);
    expect(fake.calls.map(({ status }) => status)).toEqual([503, 503, 200]);
  });

  it('are broken connections too, and answers that never come', async () => {
    const fake = createFake();
    const client = clientOf(fake);
    fake.breaks('user.me');
    await expect(client.user.me()).rejects.toMatchObject({ name: 'NetworkError' });
    fake.on('user.me', build.me(), { delayMs: Number.POSITIVE_INFINITY });
    const leaving = new AbortController();
    const asked = client.user.me({}, { signal: leaving.signal });
    leaving.abort(new Error('left'));
    await expect(asked).rejects.toThrow('left');
  });

  it('tell of answers that do not fit the contract, and of faults of a test', async () => {
    const fake = createFake();
    const client = clientOf(fake);
    fake.on('errlog.list', () => [build.errlogEntry({ level: 9 })]);
    await expect(client.errlog.list()).rejects.toThrow(/errlog\.list does not fit .* data\.data\.0\.level/);
    fake.on('errlog.list', () => {
      throw new RangeError('a fault');
    });
    await expect(client.errlog.list()).rejects.toMatchObject({
      code: 'internal',
      message: expect.stringContaining('a fault'),
    });
    expect(() => fake.fails('errlog.lists' as 'errlog.list', 'conflict')).toThrow('there is no endpoint errlog.lists');
  });

  it('are for all callers without an accepted credential', async () => {
    const fake = createFake({ credentials: ['qd_t_good'] });
    const ask = (apiToken?: string) => createClient({ url: fake.url, fetch: fake.fetch, apiToken }).user.me();
    await expect(ask()).rejects.toMatchObject({ code: 'credential_missing' });
    await expect(ask('qd_t_bad')).rejects.toMatchObject({ code: 'credential_invalid' });
    expect((await ask('qd_t_good')).username).toBe('admin');
    const signedIn = await clientOf(fake).user.login({ body: { username: 'ann', password: 'secret' } });
    expect(signedIn.username).toBe('ann');
  });
});

describe('what people edit, on a fake', () => {
  it('changes only when it is as the caller has read it', async () => {
    const fake = createFake();
    const client = clientOf(fake);
    const params = { id: 7 };
    let labels: Record<string, string> = { rack: 'a1' };
    fake.on('agent.get', () => build.agent({ id: 7, labels }));
    const { headers } = await client.agent.get({ params }).withResponse();
    const update = () =>
      client.agent.update({ params, body: { note: 'x' } }, { headers: { 'If-Match': headers.get('etag') ?? '' } });
    expect((await update()).note).toBe('x');
    labels = { rack: 'b2' };
    await expect(update()).rejects.toMatchObject({ code: 'precondition_failed', current: { labels: { rack: 'b2' } } });
    expect(fake.callsOf('agent.update')).toHaveLength(2);
    await client.agent.update({ params, body: { note: 'x' } }, { headers: { 'If-Match': '*' } });
    const weakened = { 'If-Match': `W/${(await client.agent.get({ params }).withResponse()).headers.get('etag')}` };
    await client.agent.update({ params, body: { note: 'x' } }, { headers: weakened });
    await client.agent.update({ params, body: { note: 'x' } });
  });
});

describe('calls of a fake', () => {
  it('are recorded with their parsed input', async () => {
    const fake = createFake();
    const client = clientOf(fake);
    await client.apiToken.create({ body: { name: 'ci' } }, { headers: { 'x-caller': 'test' } });
    await expect(client.apiToken.create({ body: { name: 'x'.repeat(201) } })).rejects.toThrow('body.name');
    expect(fake.callsOf('apiToken.create').map(({ body, headers }) => [body.name, headers.get('x-caller')])).toEqual([
      ['ci', 'test'],
    ]);
    expect(fake.calls.map(({ name, method, url, status }) => [name, method, url.pathname, status])).toEqual([
      ['apiToken.create', 'POST', '/admin-api/api_token', 200],
      ['apiToken.create', 'POST', '/admin-api/api_token', 400],
    ]);
  });

  it('may be lines in NDJSON', async () => {
    const fake = createFake();
    const body = '{"level":4,"log":"a"}\n\n{"level":4,"log":"b"}\n';
    const headers = { 'content-type': 'application/x-ndjson' };
    await fake.fetch(`${fake.url}/admin-api/log_server/errlog`, { method: 'POST', body, headers });
    expect(fake.callsOf('errlog.append')[0]?.body).toMatchObject([{ log: 'a' }, { log: 'b' }]);
  });

  it('are kept up to a number', async () => {
    const fake = createFake();
    for (let n = 0; n <= 1_000; n += 1) await fake.fetch(`${fake.url}/${n}`);
    expect([fake.calls.length, fake.calls[0]?.url.pathname]).toEqual([1_000, '/1']);
  });
});

describe('a fake of another contract', () => {
  const shop = {
    order: {
      get: endpoint({
        method: 'GET',
        path: '/order/{id}',
        summary: 'One order',
        access: 'public',
        params: z.object({ id: z.coerce.number<number>() }),
        data: z.object({ id: z.int(), items: z.array(z.string()).min(1), state: z.enum(['open', 'paid']) }),
      }),
    },
  };

  it('has answers and types of its endpoints', async () => {
    const fake = createFake({ contract: shop, url: 'http://shop.test/base/' });
    const client = createClient({ url: fake.url, fetch: fake.fetch, contract: shop, checkAnswers: true });
    expect(await client.order.get({ params: { id: 4 } })).toEqual({ id: 4, items: [''], state: 'open' });
    fake.on('order.get', ({ params }) => ({ id: params.id, items: ['tea'], state: 'paid' }));
    expect(await client.order.get({ params: { id: 5 } })).toEqual({ id: 5, items: ['tea'], state: 'paid' });
    expect(fake.callsOf('order.get').map(({ params }) => params.id)).toEqual([4, 5]);
  });
});
