// Invalid input: the answer names the error, and nothing is half stored. The cases are generated from the contract, for
// every field of every endpoint, and by fast-check.

import { isConfirmedAccess, isOpenBody } from '@quarterdeck/core';
import { statement } from '@quarterdeck/core/db';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ANY_CHARACTER } from '../../../packages/core/test/any-character.ts';
import { nonEmpty } from '../../../test/non-empty.ts';
import { atMost, everyThird } from '../../../test/thoroughness.ts';
import { ACCOUNT } from '../src/auth/throttle.ts';
import { NO_ID } from './callers.ts';
import {
  bodySchema,
  exampleOf,
  fieldsOf,
  jsonSchemaOf,
  pathOf,
  ROUTES,
  type Route,
  STREAM,
  WITH_BODY,
} from './endpoints.ts';
import { type Answer, DIALECT, PASSWORD, useApi } from './start-api.ts';
import { storedRows } from './stored-rows.ts';
import { HOSTILE, put, wrongValues } from './wrong-values.ts';

const api = useApi({}, { hasStillClock: true });
let master: Record<string, string>;
/** Session for endpoints that need one; no route ends it. */
let session: Record<string, string>;
let agent: { id: number; headers: Record<string, string> };
let tokenId: number;
/** Time since which a report may not be stored yet, Unix milliseconds. */
let reportedSince: number | undefined;
beforeAll(async () => {
  // By API token: no route can end it by mistake, as it could a session.
  const { token } = await api.admin.apiToken.create({ body: { name: 'the caller of all tests' } });
  master = { 'API-Token': token };
  const person = await api.person('master');
  session = { 'edge-token': person.token };
  // A confirmation lasts for ten minutes, which the thorough run may exceed on a busy machine.
  const confirmed = { where: { userId: person.id }, data: { confirmedMs: BigInt(api.now() + 9 * 60_000) } };
  await api.server.deps.db.write((tx) => tx.prisma.session.updateMany(confirmed));
  const made = await api.agent();
  agent = { id: made.id, headers: { 'API-Token': made.secret } };
  tokenId = (await api.admin.apiToken.create({ body: { name: 'to be changed' } })).id;
});
afterAll(() => {
  // Nothing of all this was a server error.
  expect(api.logged.map((line) => JSON.parse(line)).filter(({ level }) => level >= 40)).toEqual([]);
});

/** Endpoints that refuse API tokens, always or for some bodies. */
const isForSessions = ({ access, name }: Route) =>
  access === 'session' || isConfirmedAccess(access) || name === 'user.update' || name === 'user.create';

const headersFor = (route: Route) =>
  route.access === 'agent' ? agent.headers : isForSessions(route) ? session : master;

/** Path of an existing object, if the noun has one here. */
function targetOf({ name, path }: Route): string {
  return pathOf({ path }, name.startsWith('agent.') ? agent.id : name.startsWith('apiToken.') ? tokenId : NO_ID);
}

async function ask(route: Route, { query = '', body }: { query?: string; body?: string | undefined }): Promise<Answer> {
  const askedAt = api.now();
  const answer = await api.fetch(`${targetOf(route)}${query}`, {
    method: route.method,
    headers: { ...headersFor(route), ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body }),
  });
  if (route.name === 'agent.heartbeat' && answer.status === 200) reportedSince = askedAt;
  return answer;
}

const REPORTED = statement('SELECT last_reported_ms AS ms FROM agent WHERE id = ?');

/** Resolves once the agents' reports are stored. */
async function reportsAreStored(): Promise<void> {
  if (reportedSince === undefined) return;
  const stored = async () => (await api.server.deps.db.read.sql.get<{ ms: number }>(REPORTED, agent.id))?.ms;
  await expect.poll(stored).toBeGreaterThanOrEqual(reportedSince);
  reportedSince = undefined;
}

/** `status code field,field` of an answer, for comparisons. */
function summary({ status, body }: Answer): string {
  if (status === 200) return '200';
  const paths = body.err.fields?.map(({ path }: Answer) => path) ?? [];
  return [status, body.err.code, ...new Set(paths)].join(' ');
}

/** All stored rows, when the reports of agents are stored. */
async function contents(): Promise<string> {
  await reportsAreStored();
  return storedRows(api);
}

const withQuery = [...ROUTES, STREAM].filter(({ endpoint }) => endpoint.query !== undefined);
const withParams = ROUTES.filter(({ endpoint }) => endpoint.params !== undefined);

describe.each(nonEmpty(everyThird(WITH_BODY, 0)))('the body of $method $path ($name)', (route) => {
  const schema = bodySchema(route);
  const fields = fieldsOf(jsonSchemaOf(schema));
  const lines = route.endpoint.consumes === 'lines';
  // The intake reports the errors of each line.
  const refusal = (path: readonly string[]) =>
    lines ? '400 nothing_accepted body.0' : `400 validation_failed body${path.map((name) => `.${name}`).join('')}`;

  it('is refused for any wrong field, which is named, or if it is no object, and nothing is stored', async () => {
    const largest = exampleOf(schema, 'largest');
    const before = await contents();
    const got: string[] = [];
    const wanted: string[] = [];
    for (const [i, field] of fields.entries()) {
      for (const value of everyThird(wrongValues(field), i)) {
        const label = `${field.path.join('.')} = ${JSON.stringify(value)?.slice(0, 40)}: `;
        got.push(label + summary(await ask(route, { body: JSON.stringify(put(largest, field.path, value)) })));
        wanted.push(label + refusal(field.path));
      }
    }
    expect(got.length * 3).toBeGreaterThanOrEqual(fields.length);
    expect(got).toEqual(wanted);
    for (const body of ['null', '1', '"text"', 'true', '[[]]', '[null]']) {
      const path = lines ? /^400 nothing_accepted body\.0$/ : /^400 validation_failed body$/;
      expect(summary(await ask(route, { body })), body).toMatch(path);
    }
    for (const body of ['['.repeat(30_000), '{"a":'.repeat(9_000), '{"a":1,}', '\u0001', '{"a":"\n"}']) {
      expect(summary(await ask(route, { body })), body.slice(0, 20)).toMatch(/^(400 malformed_json|413 too_large)$/);
    }
    expect(await contents()).toBe(before);
    // Valid JSON of any depth is answered.
    const deep = ['['.repeat(30_000) + ']'.repeat(30_000), `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`];
    for (const body of deep) expect((await ask(route, { body })).status).toBeLessThan(500);
  });

  it('may hold hostile text: it is stored whole or refused by the name of its field', async () => {
    const largest = exampleOf(schema, 'largest');
    const texts = fields.filter(({ variants }) => variants.some(({ type }) => type === 'string'));
    const count = atMost(2, HOSTILE.length);
    const first = Math.floor(WITH_BODY.indexOf(route) / 3) * count;
    for (const [i] of Array(count).entries()) {
      const text = HOSTILE[(first + i) % HOSTILE.length] ?? '';
      const label = JSON.stringify(text.slice(0, 40));
      let taken = largest;
      for (const { path } of texts) {
        if (schema.safeParse(put(largest, path, text)).success && !lines) taken = put(taken, path, text);
        else {
          const outcome = summary(await ask(route, { body: JSON.stringify(put(largest, path, text)) }));
          // The limits of a line of the intake are not in its schema.
          const possible = [refusal(path), '413 too_large', ...(lines ? ['200'] : [])];
          expect(possible, `${path.join('.')} = ${label}`).toContain(outcome);
        }
      }
      // Every field that may hold the text, at once: accepted, or refused for its meaning, not its form.
      const outcome = summary(await ask(route, { body: JSON.stringify(taken) }));
      expect(outcome, label).toMatch(
        /^(200|400 validation_failed body\.(?:password|channels|errlog_filter)|400 expired_token|401 login_failed|404 not_found|409 \w+|413 too_large|429 too_many_requests)$/,
      );
    }
  });

  it('takes the names of inherited properties as those of any other field', async () => {
    const example = JSON.stringify(exampleOf(schema));
    // One-time operations are done by then, and so are the attempts of signing in.
    for (let i = 0; i <= (route.name === 'user.login' ? ACCOUNT.free : 0); i += 1) await ask(route, { body: example });
    const polluted = `{"__proto__":{"polluted":1,"level":9},"constructor":{"prototype":{"polluted":1}},"toString":1,${example.slice(1)}`;
    const [plain, with_] = [
      await ask(route, { body: example }),
      await ask(route, { body: polluted.replace(',}', '}') }),
    ];
    const isOpen = isOpenBody(route.endpoint) || route.endpoint.unknownInput === 'ignored';
    const refused = '400 unknown_field body.__proto__ body.constructor body.toString';
    expect(summary(with_)).toBe(isOpen ? summary(plain) : refused);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe.each(nonEmpty(everyThird(withQuery, 1)))('the query of $method $path ($name)', (route) => {
  const schema = route.endpoint.query ?? STREAM.endpoint.data;
  const fields = fieldsOf(jsonSchemaOf(schema));
  const required = Object.entries(exampleOf(schema) as Record<string, unknown>);
  /** The required fields but one, to which that one is added. */
  const queryWithout = (name: string) =>
    required
      .filter(([other]) => other !== name)
      .map(([other, value]) => `&${other}=${value}`)
      .join('');

  it('is refused for any wrong field, which is named', async () => {
    const { endpoint } = route;
    // All other fields are valid.
    const body = endpoint.body === undefined ? undefined : JSON.stringify(exampleOf(endpoint.body));
    const got: string[] = [];
    const wanted: string[] = [];
    for (const [i, { path, variants }] of everyThird([...fields.entries()], withQuery.indexOf(route))) {
      const [name = ''] = path;
      const [only] = variants;
      const wrong = [`${name}=1&${name}=2`, `${name}=&${name}=1`];
      if (only?.type === 'string') wrong.push(`${name}=${'x'.repeat((only.maxLength ?? 5_000) + 1)}`);
      else {
        const texts = ['x', 'NaN', 'Infinity', 'null', 'undefined', '[]', '{}'];
        const numbers = ['1.5', '1e3', '0x1', '1,2', '%201', '1%0a', '%00', '%ff', '%EF%BC%91', '9'.repeat(30), '-1'];
        wrong.push(...[...texts, ...numbers].map((value) => `${name}=${value}`));
      }
      if (only?.minimum !== undefined) wrong.push(`${name}=${only.minimum - 1}`);
      if (only?.maximum !== undefined && only.maximum < Number.MAX_SAFE_INTEGER)
        wrong.push(`${name}=${only.maximum + 1}`);
      for (const query of everyThird(wrong, i)) {
        const label = `${query.slice(0, 40)}: `;
        got.push(label + summary(await ask(route, { query: `?${query}${queryWithout(name)}`, body })));
        wanted.push(`${label}400 validation_failed query.${name}`);
      }
    }
    expect(got).toEqual(wanted);
  });

  // The stream would not end.
  it.skipIf(route === STREAM)(
    'is ignored if it is empty, and refused where the request changes something',
    async () => {
      const { body: schemaOfBody } = route.endpoint;
      const body = schemaOfBody && JSON.stringify(exampleOf(schemaOfBody));
      const plain = await ask(route, { query: `?${queryWithout('')}`, body });
      // An empty cursor begins a read.
      const optional = fields.filter(({ required, path }) => !required && path[0] !== 'cursor');
      const empty = optional.map(({ path }) => `${path[0]}=`).join('&');
      const same = [summary(plain), plain.body.data];
      const isRead = route.method === 'GET';
      for (const query of [...(isRead ? [`?${empty}`] : []), '?', '?&&']) {
        const answer = await ask(route, { query: query + queryWithout(''), body });
        expect([summary(answer), answer.body.data]).toEqual(same);
      }
      if (!isRead) {
        const names = optional.map(({ path }) => `query.${path[0]}`).join(' ');
        const refused = await ask(route, { query: `?${empty}${queryWithout('')}`, body });
        expect(summary(refused)).toBe(`400 validation_failed ${names}`);
      }
      for (const [query, names] of [
        ['?&&=&=1', ['']],
        ['?unknown=1&__proto__=1&__proto__=2&toString=x', ['unknown', '__proto__', 'toString']],
        ['?%zz=%zz&%00=%00', ['%zz', '\u0000']],
      ] as const) {
        const answer = await ask(route, { query: query + queryWithout(''), body });
        const refused = ['400', 'unknown_field', ...names.map((name) => `query.${name}`)].join(' ');
        const isIgnored = route.endpoint.unknownInput === 'ignored';
        expect([summary(answer), answer.body.data]).toEqual(isIgnored ? same : [refused, undefined]);
      }
    },
  );
});

describe('the path of an endpoint', () => {
  it('takes positive integers as ids, and names an invalid one', async () => {
    const before = await contents();
    for (const [i, route] of nonEmpty(everyThird(withParams, 2)).entries()) await expectIds(route, i);
    expect(await contents()).toBe(before);
  });

  async function expectIds(route: Route, start: number): Promise<void> {
    const isWide = route.name.startsWith('line.') || route.name === 'agent.diff';
    const names = [...route.endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `params.${name}`);
    const body = route.endpoint.body === undefined ? undefined : JSON.stringify(exampleOf(route.endpoint.body));
    const call = (id: string) =>
      api.fetch(pathOf(route, id), {
        method: route.method,
        headers: { ...headersFor(route), ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
        ...(body === undefined || route.method === 'GET' ? {} : { body }),
      });
    const wrong = [
      ...['x', '0', '-1', '1.5', '1e3', '0x1', '2147483648', '9'.repeat(30), 'null', '1,2', '1;2', "1'--", '*'],
      ...['%00', '%201', '1%2F2', '%2e%2e%2f1', '%EF%BC%91', '%F0%9F%98%80', '__proto__', 'constructor'],
    ];
    // Ids of lines and of history entries have no bound of 32 bits.
    for (const id of everyThird(wrong, start).filter((one) => !(isWide && one === '2147483648'))) {
      expect(summary(await call(id)), `${route.name} ${id}`).toBe(`400 validation_failed ${names.join(' ')}`);
    }
    // Profiles are not stored: each id has the same answer.
    const missing = route.name === 'system.profileSync' ? '200' : '404 not_found';
    expect(summary(await call(String(NO_ID))), route.name).toBe(missing);
  }
});

describe('anything at all', () => {
  const ROUNDS = atMost(12, DIALECT === 'sqlite' ? 240 : 120);

  /** Checks that the answer is an envelope and no server error. */
  function expectAnswer({ status, body }: Answer): void {
    expect([status, status === 200 ? 0 : status]).toEqual([status, body.status]);
    expect(status).toBeLessThan(500);
  }

  it('as a body is answered', async () => {
    const json = fc.jsonValue({ maxDepth: 4, stringUnit: ANY_CHARACTER });
    const body = fc.constantFrom(...WITH_BODY).chain((route) => {
      const schema = bodySchema(route);
      const fields = fieldsOf(jsonSchemaOf(schema));
      const largest = exampleOf(schema, 'largest');
      const one = fc
        .record({ field: fc.constantFrom(...fields), value: json })
        .map(({ field, value }) => JSON.stringify(put(largest, field.path, value)));
      const text = fc.oneof(
        one,
        one,
        json.map((value) => JSON.stringify(value)),
        fc.string({ unit: ANY_CHARACTER }),
      );
      return text.map((sent) => ({ route, sent }));
    });
    await fc.assert(
      fc.asyncProperty(body, async ({ route, sent }) => expectAnswer(await ask(route, { body: sent }))),
      { numRuns: ROUNDS },
    );
  });

  it('as a query is answered', async () => {
    const routes = withQuery.filter((route) => route !== STREAM);
    const names = routes.flatMap(({ endpoint }) =>
      endpoint.query === undefined ? [] : fieldsOf(jsonSchemaOf(endpoint.query)).map(({ path }) => path[0] ?? ''),
    );
    const name = fc.oneof(fc.constantFrom(...names), fc.webQueryParameters());
    const value = fc.oneof(fc.integer().map(String), fc.webQueryParameters(), fc.constantFrom(...HOSTILE.slice(0, 16)));
    const pairs = fc.array(fc.tuple(name, value), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...routes), pairs, async (route, query) => {
        const text = query.map(([key, given]) => `${key}=${encodeURIComponent(given.toWellFormed())}`).join('&');
        expectAnswer(await ask(route, { query: `?${text}` }));
      }),
      { numRuns: ROUNDS },
    );
  });

  it('as a path is answered', async () => {
    const segment = fc.oneof(
      fc.constantFrom('admin-api', 'api', 'v1', 'agents', 'api_token', 'user', '..', '.'),
      fc.webSegment(),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(segment, { maxLength: 5 }), async (segments) => {
        const { status, body } = await api.fetch(`/${segments.join('/')}`, { headers: master });
        if (typeof body === 'object') expect(body.status === 0 || body.status >= 400).toBe(true);
        expect(status).toBeLessThan(500);
      }),
      { numRuns: Math.ceil(ROUNDS / 4) },
    );
  });

  it('as a header is answered', async () => {
    const value = fc.string({
      unit: fc
        .integer({ min: 0x20, max: 0xff })
        .filter((c) => c !== 0x7f)
        .map((c) => String.fromCharCode(c)),
      maxLength: 300,
    });
    const header = fc.constantFrom(
      ...['API-Token', 'edge-token', 'Auth', 'Authorization', 'X-Request-Id', 'Accept', 'User-Agent', 'Cookie'],
      ...['Content-Type', 'X-Forwarded-For', 'Forwarded', 'Last-Event-ID', 'If-None-Match', 'Range', 'Origin'],
    );
    const headers = fc.dictionary(header, value, { maxKeys: 4 });
    await fc.assert(
      fc.asyncProperty(headers, async (given) => {
        expectAnswer(await api.fetch('/admin-api/user/me', { headers: given }));
        expectAnswer(await api.fetch('/admin-api/api_token', { headers: { ...master, ...given } }));
        const body = JSON.stringify({ username: 'admin', password: 'x' });
        expectAnswer(await api.fetch('/admin-api/user/login', { method: 'POST', headers: given, body }));
      }),
      { numRuns: Math.ceil(ROUNDS / 8) },
    );
  });

  it('as the name of a client is stored, truncated', async () => {
    const { id, username } = await api.person('viewer');
    const client = `\u00fc\u00ff '";\\ ${'x'.repeat(5_000)}`;
    const { status } = await api.fetch('/admin-api/user/login', {
      method: 'POST',
      headers: { 'User-Agent': client },
      body: JSON.stringify({ username, password: PASSWORD }),
    });
    expect(status).toBe(200);
    const rows = await api.server.deps.db.read.prisma.session.findMany({
      where: { userId: id },
      orderBy: { id: 'desc' },
    });
    expect(rows[0]?.client).toBe(client.slice(0, 200));
  });
});
