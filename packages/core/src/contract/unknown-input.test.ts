import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { AppError } from '../base/errors.ts';
import { type Endpoint, endpoint } from './endpoint.ts';
import { contract } from './index.ts';
import { checkUnknownInput, ignoredHeader } from './unknown-input.ts';

const post = (more: Partial<Endpoint>): Endpoint =>
  endpoint({ method: 'POST', path: '/admin-api/x', summary: '', access: 'public', data: z.undefined(), ...more });

/** Refused paths with their messages; the ignored names where nothing is refused. */
function outcome(definition: Endpoint, body: unknown, query: unknown = {}): unknown {
  try {
    return checkUnknownInput(definition, { query, body });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'unknown_field') throw error;
    return Object.fromEntries(error.fields?.map(({ path, message }) => [path, message]) ?? []);
  }
}

const paths = (schema: z.ZodType, value: unknown): string[] =>
  Object.keys(outcome(post({ body: schema }), value) as object);

describe('unknown members', () => {
  const A = z.object({ a: z.string() });

  it.each<[string, z.ZodType, unknown, string[]]>([
    ['an object', A, { a: '', b: 1 }, ['body.b']],
    ['an object in an object', z.object({ in: A }), { in: { a: '', b: 1 } }, ['body.in.b']],
    ['a list', z.object({ list: z.array(A) }), { list: [{ a: '' }, { b: 1 }] }, ['body.list.1.b']],
    ['a tuple', z.object({ pair: z.tuple([A], z.looseObject({})) }), { pair: [{ b: 1 }, { b: 1 }] }, ['body.pair.0.b']],
    ['the values of a record', z.record(z.string(), A), { any: { b: 1 } }, ['body.any.b']],
    ['an optional object', z.object({ in: A.optional() }), { in: { b: 1 } }, ['body.in.b']],
    ['an object that may be null', z.object({ in: A.nullish() }), { in: { b: 1 } }, ['body.in.b']],
    ['an object with a default', z.object({ in: A.default({ a: '' }) }), { in: { b: 1 } }, ['body.in.b']],
    ['a read-only object', A.readonly(), { b: 1 }, ['body.b']],
    ['a refined object', A.refine(() => true), { b: 1 }, ['body.b']],
    ['a transformed object', A.transform(() => 1), { b: 1 }, ['body.b']],
    ['a preprocessed object', z.preprocess((value) => value, A), { b: 1 }, ['body.b']],
    ['a lazy object', z.lazy(() => A), { b: 1 }, ['body.b']],
    ['a strict object', z.strictObject({ a: z.string() }), { b: 1 }, ['body.b']],
    ['a partial object', A.partial(), { b: 1 }, ['body.b']],
    ['both sides of an intersection', z.intersection(A, z.object({ b: z.int() })), { a: '', b: 1, c: 1 }, ['body.c']],
    ['a list or an object', z.union([z.array(A), A]), [{ b: 1 }], ['body.0.b']],
    [
      'the option of a union that accepts the value',
      z.union([A, z.object({ c: z.int() })]),
      { a: '', c: '' },
      ['body.c'],
    ],
    [
      'the option that a member selects',
      z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('x'), a: z.int() }),
        z.object({ kind: z.literal('y'), b: z.int().optional() }),
      ]),
      { kind: 'y', a: 1 },
      ['body.a'],
    ],
    ['no loose object', z.looseObject({ in: A }), { b: 1, in: { a: '', b: 1 } }, ['body.in.b']],
    ['the members that a catchall takes', A.catchall(A), { b: { c: 1 } }, ['body.b.c']],
    ['nothing of an unknown value', z.object({ any: z.unknown() }), { any: { b: 1 } }, []],
    ['nothing of a value of another kind', z.object({ a: z.string() }), [{ b: 1 }], []],
    ['nothing of no value', A, null, []],
  ])('are found in %s', (_, schema, value, found) => {
    expect(paths(schema, value)).toEqual(found);
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', ''])('may have any name: %j', (name) => {
    const value = JSON.parse(`{"a": "", ${JSON.stringify(name)}: {"polluted": 1}}`) as unknown;
    expect(paths(A, value)).toEqual([`body.${name}`]);
    expect(Object.keys(outcome(post({ query: A }), undefined, value) as object)).toEqual([`query.${name}`]);
  });

  it('are named up to a number, each name up to a length', () => {
    const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`${i}`.padEnd(200, 'x'), 1]));
    const found = paths(A, { list: many, ...many });
    expect(found).toHaveLength(20);
    expect(Math.max(...found.map((path) => path.length))).toBeLessThan(100);
  });
});

describe('a refusal', () => {
  const definition = post({
    query: z.object({ level: z.string().optional() }),
    body: z.object({ filter: z.string(), when: z.object({ kind: z.string() }), dry_run: z.boolean().optional() }),
  });

  it.each<[string, unknown, Record<string, string>]>([
    ['body.dryrun', { dryrun: true }, { 'body.dryrun': 'is an unknown field. Did you mean dry_run?' }],
    [
      'body.when.filter',
      { when: { filter: '' } },
      { 'body.when.filter': 'is an unknown field. Did you mean body.filter?' },
    ],
    [
      'body.when.level',
      { when: { level: '' } },
      { 'body.when.level': 'is an unknown field. Did you mean query.level?' },
    ],
    ['body.since', { since: '1h' }, { 'body.since': 'is an unknown field. Known: filter, when, dry_run' }],
  ])('says what %s was meant to be', (_, body, refusal) => {
    expect(outcome(definition, body)).toEqual(refusal);
  });

  it('names parameters, and fields of a request that takes none', () => {
    expect(outcome(definition, {}, { levle: '4' })).toEqual({
      'query.levle': 'is an unknown parameter. Did you mean level?',
    });
    expect(outcome(post({}), { dry_run: true }, { q: '' })).toEqual({
      'query.q': 'is an unknown parameter; there are none here',
      'body.dry_run': 'is an unknown field; there are none here',
    });
    for (const body of ['dry_run=1', [1], 1]) {
      expect(outcome(post({}), body)).toEqual({ body: 'is not read: this request takes no body' });
    }
    for (const body of [undefined, null, {}, '', []]) expect(outcome(post({}), body)).toEqual([]);
  });
});

describe('an endpoint', () => {
  it('ignores unknown names and returns them once each', () => {
    const ignoring = post({ unknownInput: 'ignored', body: z.object({ a: z.string() }) });
    expect(outcome(ignoring, { a: '', b: 1, scopes: [] }, { b: 1, c: 1 })).toEqual(['b', 'c', 'scopes']);
  });

  it('leaves the body of open senders alone, not their parameters', () => {
    for (const open of [{ unknownInput: 'open_body' }, { consumes: 'lines' }] as const) {
      expect(outcome(post({ ...open, body: z.object({}) }), { b: 1 })).toEqual([]);
      expect(outcome(post({ ...open, body: z.object({}) }), {}, { b: 1 })).toHaveProperty(['query.b']);
    }
  });

  it.each([
    ...['scope', 'scopess', 'Scope', 'scope_list', 'scopes_allowed', 'expires', 'expire_at', 'expires_at', 'expiry'],
    ...['ttl', 'TTL', 'exp', 'cidr', 'cidrs', 'cidr_list', 'allowed_cidr', 'allowedCidrs', 'nmae', 'expired', 'Expire'],
  ])('that creates API tokens refuses %s, which was meant to limit', (name) => {
    for (const definition of [contract.apiToken.create, contract.apiToken.update]) {
      expect(outcome(definition, { name: 'x', [name]: 1 })).toHaveProperty([`body.${name}`]);
    }
  });

  it('that changes API tokens refuses limits that only a new token has', () => {
    const change = { scopes: ['errlog:read'], allowed_cidrs: ['10.0.0.0/8'] };
    expect(Object.keys(outcome(contract.apiToken.update, change) as object)).toEqual([
      'body.scopes',
      'body.allowed_cidrs',
    ]);
  });

  it('that creates API tokens ignores other fields, and parameters', () => {
    expect(outcome(contract.apiToken.create, { name: 'x', comment: '', plugin: 1 }, { ttl: 1 })).toEqual([
      'ttl',
      'comment',
      'plugin',
    ]);
  });
});

describe('the header', () => {
  it('has the names percent-encoded, at most 4 KiB of them', () => {
    expect(ignoredHeader(['levle', 'a, b', '\u00e9\ud800\r\n', ''])).toBe('levle, a%2C%20b, %C3%A9%EF%BF%BD%0D%0A, ""');
    const header = ignoredHeader([...Array.from({ length: 5_000 }, (_, i) => `field${i}`), 'z'.repeat(10_000), 'end']);
    expect(header.length).toBeGreaterThan(4_000);
    expect(header.length).toBeLessThanOrEqual(4_096);
    expect(header).toMatch(/^field0, field1, /);
  });
});
