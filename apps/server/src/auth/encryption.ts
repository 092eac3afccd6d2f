// Encrypts the seeds of second factors, which the server must read again, under a key that is not in the database.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
/** First byte of the stored bytes: the version of their form. Only the first key of an installation writes 1. */
const FIRST_KEY = 1;
const LATER_KEY = 2;
/** Bytes of the generation of a later key, after the version. */
const GENERATION_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts bytes for the database, and decrypts them. */
export interface Encryption {
  /**
   * Encrypts with AES-256-GCM. `context` names the owner of the bytes, such as `totp:17`; it is not stored.
   *
   * @returns version (1 byte), generation of the key (4, unless that is 1), nonce (12), ciphertext, tag (16)
   */
  encrypt(plain: Uint8Array, context: string): Uint8Array<ArrayBuffer>;
  /**
   * Decrypts. Throws where the bytes were changed, or belong to another key or context: a row that was copied to
   * another user does not work there.
   */
  decrypt(stored: Uint8Array, context: string): Uint8Array<ArrayBuffer>;
}

/** Returns the generation of the key that encrypted bytes; undefined where their form is unknown. */
export function generationOfEncrypted(stored: Uint8Array): number | undefined {
  if (stored[0] === FIRST_KEY) return 1;
  if (stored[0] !== LATER_KEY || stored.length < 1 + GENERATION_BYTES) return undefined;
  return Buffer.from(stored.subarray(1, 1 + GENERATION_BYTES)).readUInt32BE();
}

/** Returns the start of the bytes that a key encrypts. */
export function encryptedHead(generation: number): Uint8Array<ArrayBuffer> {
  if (generation === 1) return Uint8Array.of(FIRST_KEY);
  const head = Buffer.alloc(1 + GENERATION_BYTES, LATER_KEY);
  head.writeUInt32BE(generation, 1);
  return head;
}

/** Creates an {@link Encryption} under a key that is derived (HKDF, RFC 5869) from the server's key. */
export function createEncryption(serverKey: Uint8Array, generation = 1): Encryption {
  const key = new Uint8Array(hkdfSync('sha256', serverKey, '', 'quarterdeck encryption', 32));
  const head = encryptedHead(generation);
  const aad = (context: string) => Buffer.from(`${head[0]}:${context}`);
  return {
    encrypt(plain, context) {
      // Random nonces are safe for 2^32 messages per key (NIST SP 800-38D 8.3); there is one per user and set-up.
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(aad(context));
      const parts = [head, nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()];
      return new Uint8Array(Buffer.concat(parts));
    },
    decrypt(stored, context) {
      const known = generationOfEncrypted(stored);
      if (known === undefined || stored.length < head.length + NONCE_BYTES + TAG_BYTES) {
        throw new Error('The encrypted bytes have an unknown form.');
      }
      if (known !== generation) throw new Error(`The bytes are encrypted under key ${known}.`);
      const rest = stored.subarray(head.length);
      const decipher = createDecipheriv(CIPHER, key, rest.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
        .setAAD(aad(context))
        .setAuthTag(rest.subarray(-TAG_BYTES));
      const plain = decipher.update(rest.subarray(NONCE_BYTES, -TAG_BYTES));
      return new Uint8Array(Buffer.concat([plain, decipher.final()]));
    },
  };
}
