import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { answering, dataOf, refusalOf, type Sent } from '../../test/answering.ts';
import { failureOf } from '../../test/failure-of.ts';
import { type ClientOptions, createClient, isApiError, type RequestInfo } from '../index.ts';

const url = 'http://host';
const OLD = 'qd_t_old';
const NEW = 'qd_t_new';

const credentialsOf = (sent: readonly Sent[]) =>
  sent.map(({ headers }) => headers['API-Token'] ?? headers['edge-token'] ?? null);
/** Accepts one credential only. */
const accepting = (valid: string) =>
  answering((request) => (credentialsOf([request])[0] === valid ? dataOf({}) : refusalOf('session_expired')));

describe('a credential of an async function', () => {
  it('is fetched for each request, and shared by those that begin meanwhile', async () => {
    const { fetch, sent } = answering(() => dataOf({}));
    const fetched = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
    let calls = 0;
    const client = createClient({ url, fetch, sessionToken: () => fetched[calls++]?.promise ?? 'too many' });
    const together = [client.user.me(), client.user.me()];
    expect(sent).toEqual([]);
    fetched[0]?.resolve('qd_s_first');
    await Promise.all(together);
    fetched[1]?.resolve('qd_s_second');
    await client.user.me();
    expect(credentialsOf(sent)).toEqual(['qd_s_first', 'qd_s_first', 'qd_s_second']);
  });

  it('falls back to the session token when there is none', async () => {
    const { fetch, sent } = answering(() => dataOf({}));
    await createClient({ url, fetch, apiToken: async () => undefined, sessionToken: async () => 'qd_s_x' }).user.me();
    expect(credentialsOf(sent)).toEqual(['qd_s_x']);
  });

  it('rejects the call with its own error, and is asked again by the next call', async () => {
    const { fetch, sent } = answering(() => dataOf({}));
    const error = new Error('the vault is closed');
    const answers = [Promise.reject(error), Promise.resolve(NEW)];
    const client = createClient({ url, fetch, apiToken: () => answers.shift() ?? '' });
    expect(await failureOf(client.user.me())).toBe(error);
    await client.user.me();
    expect(credentialsOf(sent)).toEqual([NEW]);
  });

  it('is within the time limit of the attempt, and ends with the signal', async () => {
    const { fetch, sent } = answering(() => dataOf({}));
    const client = createClient({ url, fetch, retries: 0, apiToken: () => new Promise(() => undefined) });
    expect(await failureOf(client.user.me({}, { timeoutMs: 1 }))).toMatchObject({ name: 'TimeoutError' });
    const controller = new AbortController();
    const call = failureOf(client.user.me({}, { signal: controller.signal }));
    controller.abort('closed');
    expect(await call).toBe('closed');
    expect(sent).toEqual([]);
  });
});

describe('the session of a browser', () => {
  it('is sent as a cookie of the same origin, with a header that no other page can send', async () => {
    const { fetch, sent } = answering(() => dataOf({}));
    await createClient({ url, fetch, session: 'cookie' }).user.me();
    expect(sent[0]).toMatchObject({ credentials: 'same-origin', headers: { 'quarterdeck-session': 'cookie' } });
    expect(credentialsOf(sent)).toEqual([null]);
  });

  it('is left alone by any other credential', async () => {
    const { fetch, sent } = answering(() => dataOf({}));
    await createClient({ url, fetch }).user.me();
    await createClient({ url, fetch, session: 'cookie', apiToken: NEW }).user.me();
    await createClient({ url, fetch, session: 'cookie', linkKey: 'qd_l_key' }).user.me();
    expect(sent.map(({ credentials }) => credentials)).toEqual(['omit', 'omit', 'omit']);
    expect(sent.filter(({ headers }) => 'quarterdeck-session' in headers)).toEqual([]);
  });
});

describe('the key of a read-only link', () => {
  it('is sent in a header of its own, and never repeated', async () => {
    const key = 'key-of-the-link-0123456789';
    const { fetch, sent } = answering(() => Response.json({ status: 500, msg: `sent ${key}` }, { status: 500 }));
    const failure = await failureOf(createClient({ url, fetch, linkKey: key, retries: 0 }).user.me());
    expect(sent[0]?.headers).toMatchObject({ 'Quarterdeck-Link': key });
    expect(failure).toMatchObject({ status: 500 });
    expect(String(failure)).not.toContain(key);
  });
});

describe('onUnauthorized', () => {
  it('gives a new credential for one repetition and for later requests, of any method', async () => {
    const { fetch, sent } = accepting(NEW);
    const refusals: unknown[] = [];
    const infos: RequestInfo[] = [];
    const client = createClient({
      url,
      fetch,
      apiToken: OLD,
      retries: 0,
      onRequest: (info) => infos.push(info),
      onUnauthorized: (refusal) => {
        refusals.push(refusal);
        return NEW;
      },
    });
    await client.apiToken.create({ body: { name: 'ci' } });
    await client.user.me();
    expect(credentialsOf(sent)).toEqual([OLD, NEW, NEW]);
    expect(sent[1]?.body).toBe('{"name":"ci"}');
    expect(refusals).toMatchObject([{ name: 'ApiError', code: 'session_expired' }]);
    expect(infos).toMatchObject([{ attempt: 1, status: 401 }, { attempt: 1, status: 200 }, { status: 200 }]);
  });

  it.each(['credential_missing', 'credential_invalid', 'session_expired', 'token_expired'] as const)(
    'is called for %s',
    async (code) => {
      const { fetch, sent } = answering((_, number) => (number === 1 ? refusalOf(code) : dataOf({})));
      await createClient({ url, fetch, onUnauthorized: async () => NEW }).user.me();
      expect(credentialsOf(sent)).toEqual([null, NEW]);
    },
  );

  it.each(['login_failed', 'otp_required', 'forbidden', 'not_found'] as const)('is not called for %s', async (code) => {
    const { fetch, sent } = answering(() => refusalOf(code));
    const client = createClient({ url, fetch, onUnauthorized: () => expect.unreachable('it was called') });
    expect(await failureOf(client.user.me())).toMatchObject({ code });
    expect(sent).toHaveLength(1);
  });

  it('is called once for requests that are refused together, and not for a late refusal', async () => {
    const late = Promise.withResolvers<Response>();
    const { fetch, sent } = answering((request, number) => {
      if (number === 3) return late.promise;
      return credentialsOf([request])[0] === NEW ? dataOf({}) : refusalOf('token_expired');
    });
    const renewal = Promise.withResolvers<string>();
    let calls = 0;
    const client = createClient({
      url,
      fetch,
      apiToken: OLD,
      onUnauthorized: () => {
        calls += 1;
        return renewal.promise;
      },
    });
    const together = [client.user.me(), client.user.me()];
    const straggler = client.user.me();
    renewal.resolve(NEW);
    await Promise.all(together);
    late.resolve(refusalOf('token_expired'));
    await straggler;
    expect(calls).toBe(1);
    expect(credentialsOf(sent)).toEqual([OLD, OLD, OLD, NEW, NEW, NEW]);
  });

  it('repeats a request once only', async () => {
    const { fetch, sent } = accepting('qd_t_other');
    const renewed = ['qd_t_1', 'qd_t_2'];
    const client = createClient({ url, fetch, apiToken: OLD, onUnauthorized: () => renewed.shift() });
    expect(await failureOf(client.user.me())).toMatchObject({ code: 'session_expired' });
    expect(await failureOf(client.user.me())).toMatchObject({ code: 'session_expired' });
    expect(credentialsOf(sent)).toEqual([OLD, 'qd_t_1', 'qd_t_1', 'qd_t_2']);
  });

  it.each([undefined, ''])('leaves the refusal alone when it returns %j', async (renewed) => {
    const { fetch, sent } = accepting(NEW);
    const client = createClient({ url, fetch, apiToken: OLD, onUnauthorized: () => renewed });
    expect(isApiError(await failureOf(client.user.me()))).toBe(true);
    expect(sent).toHaveLength(1);
  });

  it('rejects the call with its own error', async () => {
    const { fetch } = accepting(NEW);
    const error = new Error('no password');
    const onUnauthorized = () => {
      throw error;
    };
    expect(await failureOf(createClient({ url, fetch, onUnauthorized }).user.me())).toBe(error);
  });

  it('ends with the signal of the call', async () => {
    const { fetch } = accepting(NEW);
    const controller = new AbortController();
    const onUnauthorized = () => {
      controller.abort('closed');
      return new Promise<string>(() => undefined);
    };
    const call = createClient({ url, fetch, onUnauthorized }).user.me({}, { signal: controller.signal });
    expect(await failureOf(call)).toBe('closed');
  });

  const kinds: [string, Partial<ClientOptions>, string, string][] = [
    ['a session in place of a token', { apiToken: OLD }, 'qd_s_new', 'edge-token'],
    ['a token in place of a session', { sessionToken: 'qd_s_old' }, NEW, 'API-Token'],
    ['a token of another form in place of a session', { sessionToken: 'old' }, 'new', 'edge-token'],
    ['a token of another form in place of none', {}, 'new', 'API-Token'],
  ];
  it.each(nonEmpty(kinds))('may give %s', async (_, options, renewed, header) => {
    const { fetch, sent } = accepting(renewed);
    await createClient({ url, fetch, ...options, onUnauthorized: () => renewed }).user.me();
    expect(sent[1]?.headers).toMatchObject({ [header]: renewed });
  });

  it('does not outlive a change of the credential it replaced', async () => {
    const { fetch, sent } = accepting(NEW);
    let given = OLD;
    const client = createClient({ url, fetch, apiToken: () => given, onUnauthorized: () => NEW });
    await client.user.me();
    given = 'qd_t_third';
    await client.user.me();
    expect(credentialsOf(sent)).toEqual([OLD, NEW, 'qd_t_third', NEW]);
  });

  it('refuses a credential that no header can carry, without repeating it', async () => {
    const { fetch } = accepting(NEW);
    const failure = await failureOf(createClient({ url, fetch, onUnauthorized: () => 'qd_t_x\n' }).user.me());
    expect(failure).toBeInstanceOf(TypeError);
    expect(String(failure)).not.toContain('qd_t_x');
  });

  it('renews the credential of exports and of the event stream', async () => {
    const types = { events: 'text/event-stream', errlog: 'application/x-ndjson' };
    for (const [what, type] of Object.entries(types)) {
      const { fetch, sent } = answering((request) =>
        credentialsOf([request])[0] === NEW
          ? new Response(what === 'events' ? 'event: resync\ndata: {}\n\n' : '{"id":1}\n', {
              headers: { 'content-type': type },
            })
          : refusalOf('token_expired'),
      );
      const client = createClient({ url, fetch, apiToken: OLD, onUnauthorized: () => NEW });
      const stream = what === 'events' ? client.events() : client.exportErrlog();
      expect((await stream.next()).done).toBe(false);
      await stream.return();
      expect(credentialsOf(sent)).toEqual([OLD, NEW]);
    }
  });
});
