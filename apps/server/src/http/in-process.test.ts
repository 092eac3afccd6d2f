import { once } from 'node:events';
import type { IncomingMessage, RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { inProcess } from './in-process.ts';

const CALLER = { address: '192.0.2.7', headers: { 'api-token': 'own' } };
const URL = 'http://in-process/path?q=1';

it('hands the request over, with the address and the headers of its caller', async () => {
  const send = inProcess(async (req, res) => {
    const { method, url, headers, socket } = req;
    const seen = { method, url, token: headers['api-token'], address: socket.remoteAddress, body: await text(req) };
    res.writeHead(207, { 'content-type': 'application/json', 'x-total-count': '3' });
    res.end(JSON.stringify(seen));
  })(CALLER);
  const answer = await send(URL, { method: 'POST', headers: { 'api-token': 'other' }, body: '{"äöü":1}' });
  expect(answer.status).toBe(207);
  expect(answer.headers.get('x-total-count')).toBe('3');
  expect(await answer.json()).toEqual({
    method: 'POST',
    url: '/path?q=1',
    token: 'own',
    address: '192.0.2.7',
    body: '{"äöü":1}',
  });
});

it('passes large bodies both ways, and many requests at once', async () => {
  const send = inProcess(async (req, res) => {
    res.end(await text(req));
  })(CALLER);
  const bodies = Array.from({ length: 20 }, (_, i) => `${i}`.repeat(300_000));
  const answers = await Promise.all(bodies.map((body) => send(URL, { method: 'POST', headers: {}, body })));
  expect(await Promise.all(answers.map((answer) => answer.text()))).toEqual(bodies);
});

it('has an answer without a body', async () => {
  const send = inProcess((_req, res) => res.writeHead(204).end())(CALLER);
  const answer = await send(URL, { headers: {} });
  expect({ status: answer.status, text: await answer.text() }).toEqual({ status: 204, text: '' });
});

it.each([
  ['before the answer', false],
  ['within the answer', true],
])('tells the application that its caller has left %s', async (_, begins) => {
  const arrived = Promise.withResolvers<IncomingMessage>();
  const app: RequestListener = (req, res) => {
    if (begins) res.write('the beginning');
    arrived.resolve(req);
  };
  const leaving = new AbortController();
  const answer = inProcess(app)(CALLER)(URL, { headers: {}, signal: leaving.signal });
  const refused = expect(answer).rejects.toThrow('aborted');
  const { socket } = await arrived.promise;
  const closed = once(socket, 'close');
  leaving.abort();
  await closed;
  await refused;
});
