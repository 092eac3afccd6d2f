import { createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEncryption, generationOfEncrypted } from './encryption.ts';

const KEY = randomBytes(32);
const bytes = (options?: fc.IntArrayConstraints) => fc.uint8Array(options).map((read) => new Uint8Array(read));

describe('encryption', () => {
  it('decrypts what it encrypted, and never returns the same bytes twice', () => {
    const { encrypt, decrypt } = createEncryption(KEY);
    fc.assert(
      fc.property(bytes({ maxLength: 64 }), fc.string(), (plain, context) => {
        const stored = encrypt(plain, context);
        expect(decrypt(stored, context)).toEqual(plain);
        expect(stored).not.toEqual(encrypt(plain, context));
      }),
    );
  });

  it('is AES-256-GCM under a derived key, with its version in front', () => {
    const stored = createEncryption(KEY).encrypt(Uint8Array.of(1, 2, 3), 'totp:7');
    const derived = new Uint8Array(hkdfSync('sha256', KEY, '', 'quarterdeck encryption', 32));
    const decipher = createDecipheriv('aes-256-gcm', derived, stored.subarray(1, 13));
    decipher.setAAD(Buffer.from('1:totp:7')).setAuthTag(stored.subarray(-16));
    expect(stored[0]).toBe(1);
    expect(Buffer.concat([decipher.update(stored.subarray(13, -16)), decipher.final()])).toEqual(Buffer.of(1, 2, 3));
  });

  it('detects every changed bit and every missing byte', () => {
    const { encrypt, decrypt } = createEncryption(KEY);
    const stored = encrypt(randomBytes(20), 'totp:7');
    for (let bit = 0; bit < stored.length * 8; bit += 1) {
      const changed = stored.slice();
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => decrypt(changed, 'totp:7')).toThrow();
    }
    for (let length = 0; length < stored.length; length += 1) {
      expect(() => decrypt(stored.slice(0, length), 'totp:7')).toThrow();
    }
  });

  it('rejects an unknown version, and bytes too short for nonce and tag', () => {
    const { encrypt, decrypt } = createEncryption(KEY);
    const stored = encrypt(Uint8Array.of(7), 'totp:7');
    const unknown = [...stored.keys()].slice(0, 29).map((length) => stored.slice(0, length));
    for (const bytes of [...unknown, Uint8Array.of(3, ...stored.subarray(1))]) {
      expect(() => decrypt(bytes, 'totp:7')).toThrow('The encrypted bytes have an unknown form.');
    }
    expect(() => decrypt(stored.slice(0, 29), 'totp:7')).toThrow(/authenticate/);
  });

  it('does not decrypt for another user or under another key', () => {
    const { encrypt, decrypt } = createEncryption(KEY);
    const stored = encrypt(randomBytes(20), 'totp:7');
    expect(() => decrypt(stored, 'totp:8')).toThrow();
    expect(() => createEncryption(randomBytes(32)).decrypt(stored, 'totp:7')).toThrow();
  });

  it('names the key of a later generation, and does not decrypt for another one', () => {
    const { encrypt, decrypt } = createEncryption(KEY, 70_000);
    const stored = encrypt(Uint8Array.of(1, 2, 3), 'totp:7');
    expect(generationOfEncrypted(stored)).toBe(70_000);
    expect(decrypt(stored, 'totp:7')).toEqual(Uint8Array.of(1, 2, 3));
    expect(() => createEncryption(KEY).decrypt(stored, 'totp:7')).toThrow('The bytes are encrypted under key 70000.');
    expect(generationOfEncrypted(createEncryption(KEY).encrypt(Uint8Array.of(1), 'totp:7'))).toBe(1);
  });
});
