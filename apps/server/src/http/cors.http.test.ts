// CORS over HTTP. A real browser is in test/sdk-in-chromium.thorough.http.test.ts.
import { describe, expect, it } from 'vitest';
import { sharedApi, useApi } from '../../test/start-api.ts';

const api = useApi({ CORS_ORIGINS: 'https://app.example' });

const ask = async (path: string, headers: Record<string, string>, method = 'GET') => {
  const answer = await fetch(api.url + path, { method, headers });
  await answer.body?.cancel();
  return answer;
};
const namesOf = (headers: Headers) => [...headers.keys()].filter((name) => name.startsWith('access-control-')).sort();
const wants = (from: string) => ({
  Origin: from,
  'Access-Control-Request-Method': 'PUT',
  'Access-Control-Request-Headers': 'api-token,if-match',
});

describe('an origin of the list', () => {
  it.each(['/healthz', '/admin-api/user/me', '/no/such/path', '/openapi.json', '/docs', '/api/v1/user/me'])(
    'may read the answer of %s, also a failure',
    async (path) => {
      const { headers } = await ask(path, { Origin: 'https://app.example' });
      expect(headers.get('access-control-allow-origin')).toBe('https://app.example');
      expect(headers.get('access-control-expose-headers')?.split(', ')).toEqual(
        expect.arrayContaining([
          'ETag',
          'X-Total-Count',
          'X-Request-Id',
          'Retry-After',
          'Sunset',
          'Quarterdeck-Ignored',
        ]),
      );
      expect(headers.get('vary')?.split(', ')).toContain('Origin');
      expect(headers.has('access-control-allow-credentials')).toBe(false);
    },
  );

  it('gets an answer to its preflight, without a credential', async () => {
    const { status, headers } = await ask('/api/agents/1', wants('https://app.example'), 'OPTIONS');
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect(headers.get('access-control-allow-methods')).toBe('GET, POST, PUT, DELETE');
    expect(headers.get('access-control-allow-headers')?.toLowerCase().split(', ')).toEqual(
      expect.arrayContaining(['api-token', 'edge-token', 'authorization', 'if-match', 'last-event-id', 'traceparent']),
    );
    // A script of another origin uses neither the session of a browser nor the link that somebody has opened.
    expect(headers.get('access-control-allow-headers')?.toLowerCase()).not.toContain('quarterdeck-');
    expect(headers.get('access-control-max-age')).toBe('600');
    expect(headers.has('access-control-allow-credentials')).toBe(false);
  });
});

describe('any other origin', () => {
  it.each([
    'null',
    'https://app.example.evil',
    'http://app.example',
    'https://app.example:8443',
    'https://APP.example',
  ])('gets no permission: %s', async (from) => {
    const { status, headers } = await ask('/healthz', { Origin: from });
    expect([status, namesOf(headers), headers.get('vary')]).toEqual([200, [], 'Origin']);
    const preflight = await ask('/api/agents/1', wants(from), 'OPTIONS');
    expect([preflight.status, namesOf(preflight.headers)]).toEqual([405, []]);
  });
});

it('is off unless it is configured', async () => {
  await using plain = await sharedApi();
  const { headers } = await plain.fetch('/healthz', { headers: { Origin: 'https://app.example' } });
  expect([namesOf(headers), headers.get('vary')]).toEqual([[], null]);
});
