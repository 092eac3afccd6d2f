import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { maskSecrets, maskTexts } from './mask-secrets.ts';

const SECRETS = [
  ['login failed: password=hunter2 for bob', 'login failed: password=*** for bob'],
  ['{"user":"bob","password":"hun ter2"}', '{"user":"bob","password":***}'],
  ['header Authorization: Bearer abc.def', 'header Authorization: ***'],
  ['Set-Cookie: sid=abc; Path=/', 'Set-Cookie: ***; Path=/'],
  ['X-Api-Key: 12345', 'X-Api-Key: ***'],
  ['refresh_token=a1b2c3', 'refresh_token=***'],
  ['connect to postgres://app:pa$$w0rd@db:5432/shop', 'connect to postgres://***@db:5432/shop'],
  ['request: "GET /reset?code=998877&next=/ HTTP/1.1"', 'request: "GET /reset?code=***&next=*** HTTP/1.1"'],
  ['mail to ada@example.org bounced', 'mail to *** bounced'],
  ['jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln expired', 'jwt *** expired'],
  [`digest ${'ab12'.repeat(10)} unknown`, 'digest *** unknown'],
  ['key AKIA9hQ3xTz0LmN7pRs2VwY5bC8dE1fG4jK6uO9zX2 leaked', 'key *** leaked'],
  [`key qd_t_${'a'.repeat(49)} refused`, 'key *** refused'],
] as const;

it.each(nonEmpty(SECRETS))('masks the secret of %s', (text, masked) => {
  expect(maskSecrets(text)).toBe(masked);
});

it.each(
  nonEmpty([
    'connect() failed (111: Connection refused) while connecting to upstream, client: 203.0.113.9, server: shop.example.com',
    "TypeError: Cannot read properties of undefined (reading 'name')",
    'open() "/srv/www/assets/app.js" failed (2: No such file or directory)',
    'at handle (/usr/lib/node_modules/express/lib/router/layer.js:95:5)',
    'pod payment-service-worker-production-eu-west-1-blue restarted',
    'session ended after 30 minutes',
    'the token expired',
  ]),
)('leaves %s as it is', (text) => {
  expect(maskSecrets(text)).toBe(text);
});

describe('data', () => {
  it('is masked in every text, and by the names of its fields', () => {
    const data = { id: 7, fields: { cookie: 'a', client: '203.0.113.9' }, lines: [{ log: 'pwd=x' }], none: null };
    expect(maskTexts(data)).toEqual({
      id: 7,
      fields: { cookie: '***', client: '203.0.113.9' },
      lines: [{ log: 'pwd=***' }],
      none: null,
    });
  });
});

it('takes a time that grows with the text alone', () => {
  for (const piece of ['a-', 'a.', '?a', 'token ', 'a@', '://', 'x1Y-']) {
    const text = piece.repeat(8_000);
    expect(maskSecrets(text).length).toBeGreaterThan(0);
  }
});
