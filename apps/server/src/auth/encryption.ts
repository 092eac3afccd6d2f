// Encrypts the seeds of second factors, which the server must read again, under a key that is not in the database.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
/** First byte of the stored bytes: the version of their form. */
const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts bytes for the database, and decrypts them. */
export interface Encryption {
  /**
   * Encrypts with AES-256-GCM. `context` names the owner of the bytes, such as `totp:17`; it is not stored.
   *
   * @returns version (1 byte), nonce (12), ciphertext, tag (16)
   */
  encrypt(plain: Uint8Array, context: string): Uint8Array<ArrayBuffer>;
  /**
   * Decrypts. Throws where the bytes were changed, or belong to another key or context: a row that was copied to
   * another user does not work there.
   */
  decrypt(stored: Uint8Array, context: string): Uint8Array<ArrayBuffer>;
}

/** Creates an {@link Encryption} under a key that is derived (HKDF, RFC 5869) from the server's key. */
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
        throw new Error('The encrypted bytes have an unknown form.');
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
