import { describe, expect, it } from 'vitest';
import { accountKey, addressKey, otpKey, otpPrefix, pairKey, pairPrefix } from './throttle-keys.ts';

describe('a key', () => {
  it('holds no username, and is the same in every notation of it', () => {
    expect(accountKey('Hunter2-is-my-password')).not.toMatch(/hunter2/i);
    expect(accountKey('ADMIN')).toBe(accountKey('admin'));
    expect(accountKey('José'.normalize('NFD'))).toBe(accountKey('José'.normalize('NFC')));
  });

  it('differs for each account, network and second factor', () => {
    const keys = ['straße', 'strasse', 'ann'].flatMap((name) => [accountKey(name), pairKey(name, '192.0.2.7')]);
    keys.push(addressKey('192.0.2.7'), addressKey('192.0.2.8'), pairKey('ann', '192.0.2.8'));
    keys.push(otpKey(12), otpKey(13), otpKey(12, '192.0.2.7'), otpKey(12, '192.0.2.8'));
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.filter((key) => key.startsWith(pairPrefix('ann')))).toHaveLength(2);
    expect(keys.filter((key) => key.startsWith(otpPrefix(12)))).toHaveLength(2);
  });

  it('starts with the prefix of its account', () => {
    expect(pairKey('admin', '192.0.2.7').startsWith(pairPrefix('admin'))).toBe(true);
    expect(otpKey(12, '192.0.2.7').startsWith(otpPrefix(12))).toBe(true);
    expect(otpKey(123).startsWith(otpPrefix(12))).toBe(false);
  });
});
