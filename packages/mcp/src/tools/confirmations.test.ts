import { describe, expect, it } from 'vitest';
import { createConfirmations } from './confirmations.ts';

const CHANGE = { caller: 'api_token 1', action: 'resolved', target: { ids: [1, 2] } };

describe('a confirmation', () => {
  it('is redeemed once, and tells how many matched', () => {
    const confirmations = createConfirmations();
    const text = confirmations.create(CHANGE, 2);
    expect(confirmations.redeem(text, CHANGE)).toBe(2);
    expect(() => confirmations.redeem(text, CHANGE)).toThrow('used already');
  });

  it('ends after five minutes', () => {
    let now = 1_000_000;
    const confirmations = createConfirmations(() => now);
    const [early, late] = [confirmations.create(CHANGE, 2), confirmations.create(CHANGE, 2)];
    now += 299_999;
    expect(confirmations.redeem(early, CHANGE)).toBe(2);
    now += 1;
    expect(() => confirmations.redeem(late, CHANGE)).toThrow('expired');
    expect(() => confirmations.redeem(early, CHANGE)).toThrow('expired');
  });

  it.each([
    ['another caller', { ...CHANGE, caller: 'api_token 2' }],
    ['another action', { ...CHANGE, action: 'muted' }],
    ['other ids', { ...CHANGE, target: { ids: [1, 2, 3] } }],
  ])('is not valid for %s', (_, change) => {
    const confirmations = createConfirmations();
    const text = confirmations.create(CHANGE, 2);
    expect(() => confirmations.redeem(text, change)).toThrow('not of a dry run');
    expect(confirmations.redeem(text, CHANGE)).toBe(2);
  });

  it('is not valid when any part of it is changed', () => {
    const confirmations = createConfirmations();
    const text = confirmations.create(CHANGE, 2);
    const [expiry, matched, nonce, signature] = text.split('.') as [string, string, string, string];
    const forged = [
      `${Number(expiry) + 60_000}.${matched}.${nonce}.${signature}`,
      `${expiry}.9.${nonce}.${signature}`,
      `${expiry}.${matched}.${'A'.repeat(16)}.${signature}`,
      `${expiry}.${matched}.${nonce}.${'A'.repeat(43)}`,
      `${expiry}.${matched}.${nonce}`,
      `${text.slice(0, -1)}_`,
      `${text.slice(0, -1)}${String.fromCharCode(text.charCodeAt(text.length - 1) + 1)}`,
      `${text} `,
      '',
    ];
    for (const one of forged) expect(() => confirmations.redeem(one, CHANGE), one).toThrow('not of a dry run');
  });

  it('is not valid in another process', () => {
    const text = createConfirmations().create(CHANGE, 2);
    expect(() => createConfirmations().redeem(text, CHANGE)).toThrow('not of a dry run');
  });
});
