import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { failureOf } from '../../test/failure-of.ts';
import { type Answer, hangUp, send, startServer, text } from '../../test/start-server.ts';
import { contract } from '../contract.ts';
import { createClient, isClientError, type RequestInfo } from '../index.ts';

// No other test has these texts: errors are searched as far as references lead.
const TOKEN = 'qd_t_searched-token';
const PASSWORD = 'searched-password';
/** Credential for a proxy on the way. */
const PROXY = 'c2VhcmNoZWQtcHJveHk=';

describe('credentials are absent', () => {
  const forms: [string, Answer][] = [
    [
      'a refusal that repeats it',
      (r, { headers }) =>
        send(r, 401, {
          status: 401,
          msg: `bad ${headers['api-token']}`,
          err: {
            code: `x ${headers['api-token']}`,
            detail: `${headers['api-token']}`,
            fields: [{ path: `${headers['api-token']}`, message: `${headers['api-token']}` }],
            request_id: `${headers['api-token']}`,
            current: { name: [`${headers['api-token']}`] },
          },
        }),
    ],
    ['an answer that repeats the request', (r, { headers }) => send(r, 200, headers)],
    [
      'a refusal that repeats the credential of a proxy',
      (r, { headers }) =>
        send(r, 400, {
          status: 400,
          msg: `${headers.authorization}`,
          err: { detail: `${headers.authorization?.slice(6)}` },
        }),
    ],
    [
      'an answer whose request id is the credential',
      (r, { headers }) => send(r, 500, { status: 500 }, { 'x-request-id': `${headers['api-token']}` }),
    ],
    [
      'a page that repeats the request',
      (r, { headers }) =>
        text(404, 'text/html', `<pre>${JSON.stringify(headers)}</pre>`)(
          r,
          { method: '', url: '', headers, body: '' },
          1,
        ),
    ],
    [
      'a redirect that repeats it',
      (r, { headers }) => void r.writeHead(302, { location: `/x/${headers['api-token']}` }).end(),
    ],
    ['a connection that breaks', hangUp],
    ['data that does not fit', (r, { headers }) => send(r, 200, { status: 0, data: { id: headers['api-token'] } })],
  ];

  it.each(nonEmpty(forms))('in the errors and reports of %s', async (_, answer) => {
    await using server = await startServer(answer);
    const infos: RequestInfo[] = [];
    const options = { url: server.url, apiToken: TOKEN, retries: 0, contract, checkAnswers: true };
    const client = createClient({ ...options, onRequest: (info) => infos.push(info) });
    const failures = [
      await failureOf(client.user.me({}, { headers: { Authorization: `Basic ${PROXY}` } })),
      await failureOf(client.user.login({ body: { username: 'ada', password: PASSWORD } })),
    ];
    expect(failures.every(isClientError)).toBe(true);
    for (const thing of [...failures, ...infos, client]) expectNoSecret(thing);
  });

  it('in the error of a fetch that repeats its request', async () => {
    const indiscreet: typeof fetch = (url, init) => {
      throw Object.assign(new Error(`cannot send ${JSON.stringify(init)}`), { url, init, cause: { init } });
    };
    const client = createClient({ url: 'http://host', apiToken: TOKEN, retries: 0, fetch: indiscreet });
    expectNoSecret(await failureOf(client.user.me()));
  });
});

function expectNoSecret(thing: unknown): void {
  const texts = [
    String(thing),
    JSON.stringify(thing) ?? '',
    inspect(thing, { depth: Number.POSITIVE_INFINITY, showHidden: true, maxStringLength: null }),
    thing instanceof Error ? `${thing.stack} ${String(thing.cause)}` : '',
  ];
  for (const secret of [TOKEN, PASSWORD, PROXY]) for (const t of texts) expect(t).not.toContain(secret);
}
