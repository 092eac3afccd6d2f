import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { PERMISSIONS } from '../auth/permissions.ts';
import { ERRORS } from '../errors.ts';
import type { Endpoint } from './endpoint.ts';
import { contract } from './index.ts';

const endpoints = Object.entries(contract).flatMap(([noun, table]) =>
  Object.entries(table).map(([verb, definition]) => ({ name: `${noun}.${verb}`, ...(definition as Endpoint) })),
);

describe('the contract', () => {
  it('has every path below one of the two prefixes', () => {
    for (const { path } of endpoints) expect(path).toMatch(/^\/(admin-api\/|api\/agents)/);
  });

  it('answers each method and path once', () => {
    const addresses = endpoints.flatMap(({ method, alsoMethod, path }) =>
      [method, alsoMethod].filter((m) => m !== undefined).map((m) => `${m} ${path}`),
    );
    expect(new Set(addresses).size).toBe(addresses.length);
  });

  it.each(endpoints)('$name names its placeholders in params', ({ path, params }) => {
    const placeholders = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    const named = params === undefined ? [] : Object.keys((params as z.ZodObject).shape);
    expect(named).toEqual(placeholders);
  });

  it.each(endpoints)('$name has a valid access and refuses with codes of the table', ({ access, errors }) => {
    const confirmed = PERMISSIONS.map((permission) => `confirmed ${permission}`);
    expect(['public', 'signed_in', 'session', 'api_token', 'agent', ...PERMISSIONS, ...confirmed]).toContain(access);
    for (const code of errors ?? []) expect(ERRORS).toHaveProperty(code);
  });

  it.each(endpoints)('$name has schemas that JSON Schema can express', ({ params, query, body, data }) => {
    for (const schema of [params, query, body]) {
      if (schema !== undefined) expect(() => z.toJSONSchema(schema, { io: 'input' })).not.toThrow();
    }
    if (!(data instanceof z.ZodUndefined)) expect(() => z.toJSONSchema(data, { io: 'output' })).not.toThrow();
  });

  it.each(endpoints.filter(({ versioned }) => versioned !== undefined))(
    '$name is versioned by fields that GET of its path shows',
    ({ path, method, versioned, errors }) => {
      const shown = endpoints.find((other) => other.path === path && other.method === 'GET');
      expect(shown?.versioned).toEqual(versioned);
      const fields = shown?.data instanceof z.ZodObject ? Object.keys(shown.data.shape) : [];
      expect(fields).toEqual(expect.arrayContaining([...(versioned ?? [])]));
      expect(errors?.includes('precondition_failed') === true).toBe(method !== 'GET');
    },
  );

  it.each(endpoints)('$name says whether its data has a secret', ({ data, carriesSecret }) => {
    const names = data instanceof z.ZodObject ? Object.keys(data.shape) : [];
    const hasSecret = names.some((name) => /^(.*token|secret|password|uri|recovery_codes)$/.test(name));
    expect(carriesSecret === true).toBe(hasSecret);
  });

  it('names a replacement for what is deprecated, and half a year to move', () => {
    for (const { deprecated, name } of endpoints) {
      if (deprecated === undefined) continue;
      const days = (Date.parse(deprecated.sunset) - Date.parse(deprecated.since)) / 86_400_000;
      expect(days, name).toBeGreaterThanOrEqual(180);
      expect(deprecated.use, name).not.toBe('');
    }
  });

  it('has no literal path that an earlier placeholder matches', () => {
    for (const [index, later] of endpoints.entries()) {
      for (const earlier of endpoints.slice(0, index).filter(({ path }) => path.includes('{'))) {
        const pattern = new RegExp(`^${earlier.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
        if (!later.path.includes('{')) expect(later.path).not.toMatch(pattern);
      }
    }
  });
});
