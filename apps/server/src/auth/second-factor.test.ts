import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../test/non-empty.ts';
import {
  describeSeed,
  isTotpCode,
  newRecoveryCodes,
  newSeed,
  normaliseRecoveryCode,
  stepOfCode,
} from './second-factor.ts';

/** RFC 6238 appendix B, SHA-1: the seed, and per Unix time the code, of whose eight digits the last six count. */
const SEED = new TextEncoder().encode('12345678901234567890');
const VECTORS = [
  [59, '94287082'],
  [1111111109, '07081804'],
  [1111111111, '14050471'],
  [1234567890, '89005924'],
  [2000000000, '69279037'],
  [20000000000, '65353130'],
] as const;

describe('a TOTP code', () => {
  it.each(nonEmpty(VECTORS))('matches the vector of RFC 6238 at %i', (timeS, code) => {
    expect(stepOfCode(SEED, code.slice(2), timeS * 1000)).toBe(Math.floor(timeS / 30));
  });

  it('is accepted one step early and one late, and no further', () => {
    const [timeS, code] = VECTORS[3];
    const step = Math.floor(timeS / 30);
    const at = (steps: number) => stepOfCode(SEED, code.slice(2), (step + steps) * 30_000);
    expect([-2, -1, 0, 1, 2].map(at)).toEqual([undefined, step, step, step, undefined]);
  });

  it('depends on the seed alone where the seed is part of a larger buffer', () => {
    const within = Uint8Array.of(9, ...SEED, 9).subarray(1, 1 + SEED.length);
    expect(stepOfCode(within, '287082', 59_000)).toBe(1);
  });

  it('has six digits and nothing around them', () => {
    expect(isTotpCode('123456')).toBe(true);
    for (const code of ['x123456', '123456x', '1234567', ' 123456']) expect(isTotpCode(code)).toBe(false);
  });

  it.each(['', '12345', '1234567', 'abcdef', '١٢٣٤٥٦', '-12345', '1e5000'])('is not %j', (code) => {
    expect(stepOfCode(SEED, code, 59_000)).toBeUndefined();
  });
});

describe('a seed', () => {
  it('has 160 bits, and is formatted for an authenticator app', () => {
    const seed = newSeed();
    const { secret, uri } = describeSeed(seed, 'ann@example.org');
    expect(seed).toHaveLength(20);
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    const read = new URL(uri);
    expect([read.protocol, read.host]).toEqual(['otpauth:', 'totp']);
    expect(decodeURIComponent(read.pathname)).toBe('/Quarterdeck:ann@example.org');
    expect(Object.fromEntries(read.searchParams)).toEqual({
      issuer: 'Quarterdeck',
      secret,
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    });
  });
});

describe('recovery codes', () => {
  it('are ten, of 120 bits each, in groups', () => {
    const codes = newRecoveryCodes();
    expect(codes).toHaveLength(10);
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^([A-Z2-7]{4}-){5}[A-Z2-7]{4}$/);
  });

  it('are accepted in every notation', () => {
    const text = normaliseRecoveryCode('ABCD-EFGH-IJKL-MNOP-QRST-UVWX');
    expect(text).toBe('recovery:ABCDEFGHIJKLMNOPQRSTUVWX');
    expect(normaliseRecoveryCode('abcdefgh ijklmnop qrstuvwx')).toBe(text);
    expect(normaliseRecoveryCode('ABCD-EFGH-IJKL-MNOP-QRST-UVW1')).toBeUndefined();
    expect(normaliseRecoveryCode('ABCD')).toBeUndefined();
    expect(normaliseRecoveryCode('ABCD-EFGH-IJKL-MNOP-QRST-UVWX-Y')).toBeUndefined();
    expect(normaliseRecoveryCode('1ABCDEFGHIJKLMNOPQRSTUVWX')).toBeUndefined();
  });
});
