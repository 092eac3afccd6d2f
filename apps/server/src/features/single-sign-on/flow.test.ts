import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { secretKeyOf } from '../../auth/secrets.ts';
import { beginFlow, checksOf, FLOW_MAX_MS, openFlow, safePath, sealFlow } from './flow.ts';

const key = secretKeyOf(randomBytes(32));
const flow = beginFlow({ provider: 'corp', purpose: 'sign_in', to: '/e?x=1', sessionId: 0, startedMs: 1000 });

describe('a flow', () => {
  it('comes back from its cookie, until it takes too long', () => {
    const sealed = sealFlow(key, flow);
    expect(openFlow([key], sealed, 1000 + FLOW_MAX_MS - 1)?.flow).toEqual(flow);
    expect(openFlow([secretKeyOf(randomBytes(32)), key], sealed, 1000)?.key).toBe(key);
    expect(openFlow([key], sealed, 1000 + FLOW_MAX_MS)).toBeUndefined();
    expect(openFlow([key], sealed, 999)).toBeUndefined();
  });

  it('does not come back from a cookie that somebody else wrote', () => {
    const [text = '', mac = ''] = sealFlow(key, flow).split('.');
    const other = Buffer.from(JSON.stringify({ ...flow, sessionId: 7 })).toString('base64url');
    for (const wrong of [undefined, '', '.', text, `${text}.`, `${other}.${mac}`, `${text}.${mac}0`, 'x.y']) {
      expect(openFlow([key], wrong, 1000)).toBeUndefined();
    }
    expect(openFlow([secretKeyOf(randomBytes(32))], `${text}.${mac}`, 1000)).toBeUndefined();
  });

  it('has values of its own for state, nonce and verifier, which need the key', () => {
    const values = Object.values(checksOf(key, flow));
    const others = [
      checksOf(key, beginFlow(flow)),
      checksOf(key, { ...flow, provider: 'x' }),
      checksOf(secretKeyOf(randomBytes(32)), flow),
    ].flatMap((checks) => Object.values(checks));
    expect(new Set([...values, ...others]).size).toBe(12);
    // RFC 7636, section 4.1: 43 to 128 characters.
    expect(values.every((value) => /^[\da-f]{64}$/.test(value))).toBe(true);
  });
});

it.each([
  ['/', '/'],
  ['/e/7?state=new#line', '/e/7?state=new#line'],
  ['/a/../h', '/h'],
  ['//evil.example', '/'],
  ['/\\evil.example', '/'],
  ['\\\\evil.example', '/'],
  ['/.//evil.example', '/'],
  ['/x/..//evil.example', '/'],
  ['/%2e//evil.example', '/'],
  ['/\t/evil.example', '/'],
  ['/\n/evil.example', '/'],
  ['https://evil.example/', '/'],
  ['javascript:alert(1)', '/'],
  ['e', '/'],
  ['', '/'],
  [`/${'x'.repeat(2001)}`, '/'],
  [undefined, '/'],
  [['/e'], '/'],
])('takes %j to %j', (to, path) => {
  expect(safePath(to)).toBe(path);
});
