// Encryption of what the server must be able to read again (seeds of second factors), under a key that is not in the
// database.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
/** First byte of what is stored, so that another form can come later and both can be told apart. */
const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Turns bytes into what the database keeps, and back. */
export interface Encryption {
  /**
   * AES-256-GCM. `context` says what the bytes belong to, such as `totp:17`; it is not stored.
   *
   * @returns version (1 byte), nonce (12), ciphertext, tag (16)
   */
  encrypt(plain: Uint8Array, context: string): Uint8Array<ArrayBuffer>;
  /**
   * Throws where the bytes were changed, were encrypted under another key, or belong to something else: a row that was
   * copied to another user is of no use there.
   */
  decrypt(stored: Uint8Array, context: string): Uint8Array<ArrayBuffer>;
}

/** Encryption under a key derived (HKDF, RFC 5869) from the server's, which also makes digests: one key, one purpose. */
export function createEncryption(serverKey: Uint8Array): Encryption {
  const key = new Uint8Array(hkdfSync('sha256', serverKey, '', 'quarterdeck encryption', 32));
  const aad = (context: string) => Buffer.from(`${VERSION}:${context}`);
  return {
    encrypt(plain, context) {
      // Random nonces are safe for 2^32 messages per key (NIST SP 800-38D 8.3); there is one per user and set-up.
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(aad(context));
      const parts = [Uint8Array.of(VERSION), nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()];
      return new Uint8Array(Buffer.concat(parts));
    },
    decrypt(stored, context) {
      if (stored[0] !== VERSION || stored.length < 1 + NONCE_BYTES + TAG_BYTES) {
        throw new Error('Encrypted bytes have a form that is not known.');
      }
      const nonce = stored.subarray(1, 1 + NONCE_BYTES);
      const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
        .setAAD(aad(context))
        .setAuthTag(stored.subarray(-TAG_BYTES));
      const plain = decipher.update(stored.subarray(1 + NONCE_BYTES, -TAG_BYTES));
      return new Uint8Array(Buffer.concat([plain, decipher.final()]));
    },
  };
}
