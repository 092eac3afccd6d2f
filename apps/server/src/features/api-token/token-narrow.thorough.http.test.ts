// Narrowing of API tokens after each kind of call, and after each endpoint.
import { PERMISSIONS } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../../test/non-empty.ts';
import { bodyFor, NO_ID, rowOf } from '../../../test/callers.ts';
import { pathOf, RAW_ROUTES, ROUTES } from '../../../test/endpoints.ts';
import { useSteadyApi } from '../../../test/steady-api.ts';
import { CALLS, isRefusedWithout, tokenCalls } from '../../../test/token-calls.ts';

const OBSERVED_MS = 7 * 86_400_000;

const api = useSteadyApi({ MCP_CHANGES: 'on' });

const { newToken, narrow, send } = tokenCalls(() => api);

describe('a narrowed API token', () => {
  it.each(nonEmpty(CALLS.map((call) => ({ ...call, title: `${call.method ?? 'GET'} ${call.path}` }))))(
    'repeats $title, and keeps only its permissions',
    async (call) => {
      const { id, token } = await newToken();
      const before = await send(call, token);
      expect(before).toMatch(/^20[0-9]$/);
      api.advance(OBSERVED_MS);
      const { scopes, removed } = await narrow(id);
      expect([...scopes].sort()).toEqual([...call.needs].sort());
      expect(removed).toHaveLength(PERMISSIONS.length - call.needs.length);
      expect(await send(call, token)).toBe(before);
      const others = CALLS.filter((one) => isRefusedWithout(one) && !one.needs.some((need) => scopes.includes(need)));
      const refused = await Promise.all(others.map((one) => send(one, token)));
      expect(refused).toEqual(others.map(() => '403'));
    },
  );
});

const SCOPED = [...ROUTES, ...RAW_ROUTES].flatMap((route) => {
  const row = rowOf(route);
  return 'scope' in row && row.confirmed !== true ? [{ route, row, title: route.name }] : [];
});

describe('after a call of the endpoint', () => {
  it.each(nonEmpty(SCOPED))('$title, a narrowed API token may still call it', async ({ route, row }) => {
    const { id, token } = await newToken();
    const call = {
      path: pathOf(route, NO_ID),
      method: route.method as 'GET',
      body: bodyFor(route),
      needs: [],
    };
    const before = await send(call, token);
    api.advance(OBSERVED_MS);
    const { scopes } = await narrow(id);
    expect(scopes).toEqual(expect.arrayContaining([row.scope]));
    if (before !== '403') expect(await send(call, token)).not.toBe('403');
  });
});
