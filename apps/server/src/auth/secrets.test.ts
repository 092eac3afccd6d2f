import { createHmac, randomBytes } from 'node:crypto';
import { SECRET_PATTERN } from '@quarterdeck/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newSecret, readSecretKind, secretKeyOf } from './secrets.ts';

describe('secrets', () => {
  it('have the documented form and kind', () => {
    for (const kind of ['session', 'api_token', 'agent'] as const) {
      const secret = newSecret(kind);
      expect(secret).toMatch(SECRET_PATTERN);
      expect(secret).toHaveLength(54);
      expect(readSecretKind(secret)).toBe(kind);
    }
  });

  it('are refused after any single change', () => {
    const secret = newSecret('api_token');
    fc.assert(
      fc.property(fc.nat(secret.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, character) => {
        fc.pre(character !== secret[at]);
        expect(readSecretKind(secret.slice(0, at) + character + secret.slice(at + 1))).toBeUndefined();
      }),
    );
  });

  it('use every base62 digit about equally often', () => {
    const seen = new Map<string, number>();
    const total = 2_000;
    for (let i = 0; i < total; i += 1) {
      for (const digit of newSecret('session').slice(5, 48)) seen.set(digit, (seen.get(digit) ?? 0) + 1);
    }
    const expected = (total * 43) / 62;
    const chiSquare = [...seen.values()].reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0);
    // 61 degrees of freedom: above 120 once in a hundred thousand runs.
    expect(seen.size).toBe(62);
    expect(chiSquare).toBeLessThan(120);
  });
});

describe('the digest of a secret', () => {
  it('is HMAC-SHA-256', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        fc.stringMatching(/^[0-9A-Za-z_]{0,80}$/),
        (key, text) => {
          expect(Buffer.from(secretKeyOf(key).digest(text))).toEqual(createHmac('sha256', key).update(text).digest());
        },
      ),
    );
  });

  it('does not depend on what was digested before', () => {
    const key = secretKeyOf(randomBytes(32));
    const first = key.digest('short');
    key.digest('a much longer text than the first one');
    expect(key.digest('short')).toEqual(first);
  });
});
