import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { PERMISSIONS } from '../auth/permissions.ts';
import { ERRORS } from '../base/errors.ts';
import { EVENTS } from '../domain/event.ts';
import { NewSharedLink } from '../domain/shared-link.ts';
import { NOUNS } from '../generated/nouns.ts';
import type { Endpoint } from './endpoint.ts';
import { contract } from './index.ts';

const endpoints = nonEmpty(
  Object.entries(contract).flatMap(([noun, table]) =>
    Object.entries(table).map(([verb, definition]) => ({ name: `${noun}.${verb}`, ...(definition as Endpoint) })),
  ),
);
type Named = (typeof endpoints)[number];

/** Names of the endpoints that do not pass a check. */
const failing = (passes: (one: Named) => boolean) => endpoints.filter((one) => !passes(one)).map(({ name }) => name);

const fieldsOf = (schema: z.ZodType | undefined) => (schema instanceof z.ZodObject ? Object.keys(schema.shape) : []);

describe('the contract', () => {
  it('has every path below one of the two prefixes', () => {
    expect(failing(({ path }) => /^\/(admin-api\/|api\/agents)/.test(path))).toEqual([]);
  });

  it('answers each method and path once', () => {
    const addresses = endpoints.flatMap(({ method, alsoMethod, path }) =>
      [method, alsoMethod].filter((m) => m !== undefined).map((m) => `${m} ${path}`),
    );
    expect(new Set(addresses).size).toBe(addresses.length);
  });

  it('names the placeholders of each path in params', () => {
    const placeholders = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).join();
    expect(failing(({ path, params }) => fieldsOf(params).join() === placeholders(path))).toEqual([]);
  });

  it('has valid accesses, and refuses with codes of the table', () => {
    const confirmed = PERMISSIONS.map((permission) => `confirmed ${permission}`);
    const accesses = ['public', 'signed_in', 'session', 'api_token', 'agent', ...PERMISSIONS, ...confirmed];
    expect(failing(({ access }) => accesses.includes(access))).toEqual([]);
    expect(failing(({ errors = [] }) => errors.every((code) => Object.hasOwn(ERRORS, code)))).toEqual([]);
  });

  it('has schemas that JSON Schema can express', () => {
    for (const { name, params, query, body, data } of endpoints) {
      const inputs = [params, query, body].filter((schema) => schema !== undefined);
      for (const schema of inputs) expect(() => z.toJSONSchema(schema, { io: 'input' }), name).not.toThrow();
      if (!(data instanceof z.ZodUndefined)) expect(() => z.toJSONSchema(data, { io: 'output' }), name).not.toThrow();
    }
  });

  it.each(nonEmpty(endpoints.filter(({ versioned }) => versioned !== undefined)))(
    'versions $name by fields that GET of its path shows',
    ({ path, method, versioned, errors }) => {
      const shown = endpoints.find((other) => other.path === path && other.method === 'GET');
      expect(shown?.versioned).toEqual(versioned);
      expect(fieldsOf(shown?.data)).toEqual(expect.arrayContaining([...(versioned ?? [])]));
      expect(errors?.includes('precondition_failed') === true).toBe(method !== 'GET');
    },
  );

  it('says of each endpoint whether its data has a secret', () => {
    const isSecret = (name: string) => /^(.*token|secret|password|uri|recovery_codes|device_code)$/.test(name);
    // The address of a read-only link has its key.
    const hasSecret = (data: z.ZodType) => fieldsOf(data).some(isSecret) || data === NewSharedLink;
    expect(failing(({ data, carriesSecret = false }) => hasSecret(data) === carriesSecret)).toEqual([]);
  });

  it('names a replacement for what is deprecated, and half a year to move', () => {
    const isFair = ({ since, sunset, use }: NonNullable<Named['deprecated']>) =>
      use !== '' && Date.parse(sunset) - Date.parse(since) >= 180 * 86_400_000;
    expect(failing(({ deprecated }) => deprecated === undefined || isFair(deprecated))).toEqual([]);
  });

  it('has no literal path that an earlier placeholder matches', () => {
    const matches = ({ path }: Named, other: string) =>
      path.includes('{') && new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(other);
    const hidden = endpoints.filter(
      ({ path }, index) => !path.includes('{') && endpoints.slice(0, index).some((earlier) => matches(earlier, path)),
    );
    expect(hidden).toEqual([]);
  });
});

describe('NOUNS', () => {
  const named = new Set<z.ZodType>(Object.values(NOUNS));

  /** Schemas without a name: of a value itself, of the rows of a list, or of one of several forms. */
  function unnamed(schema: z.ZodType | undefined): z.ZodType[] {
    if (schema === undefined || named.has(schema)) return [];
    if (schema instanceof z.ZodArray) return unnamed(schema.element as z.ZodType);
    if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => unnamed(option as z.ZodType));
    if (!(schema instanceof z.ZodObject)) return [];
    const { data, meta, ...rest } = schema.shape as Record<string, z.ZodType>;
    return data !== undefined && meta !== undefined && Object.keys(rest).length === 0 ? unnamed(data) : [schema];
  }

  it('names what each endpoint receives and answers, and the data of every event', () => {
    expect(failing(({ body, data }) => unnamed(body).length + unnamed(data).length === 0)).toEqual([]);
    expect(nonEmpty(Object.values(EVENTS)).flatMap(unnamed)).toEqual([]);
  });
});
