// Generates secrets, checks their form, and digests them for the database. The digest is an HMAC under a key outside
// the database, so neither a leaked nor a forged copy of it yields a credential.
import { createHmac, hash, hkdfSync, randomFillSync } from 'node:crypto';
import { crc32 } from 'node:zlib';
import {
  BASE62,
  SECRET_CHECKSUM_LENGTH,
  SECRET_LETTERS,
  SECRET_PATTERN,
  SECRET_RANDOM_LENGTH,
  type SecretKind,
  secretKind,
} from '@quarterdeck/core';
import { createEncryption, type Encryption } from './encryption.ts';

/** Generates random base62 text, without bias: bytes that do not divide evenly are dropped. */
export function randomBase62(length: number): string {
  let text = '';
  const bytes = new Uint8Array(length * 2);
  while (text.length < length) {
    randomFillSync(bytes);
    for (const byte of bytes) {
      if (byte < 248 && text.length < length) text += BASE62[byte % 62];
    }
  }
  return text;
}

function checksum(text: string): string {
  let value = crc32(text);
  let digits = '';
  for (let i = 0; i < SECRET_CHECKSUM_LENGTH; i += 1) {
    digits = BASE62[value % 62] + digits;
    value = Math.floor(value / 62);
  }
  return digits;
}

/** Generates a secret of a kind. The database stores only its {@link SecretKey.digest}. */
export function newSecret(kind: SecretKind): string {
  const text = `qd_${SECRET_LETTERS[kind]}_${randomBase62(SECRET_RANDOM_LENGTH)}`;
  return text + checksum(text);
}

/** Generates the key of a DSN of Sentry: an API token that only Sentry's endpoints read, in the form of a session. */
export const newSentryKey = (): string => newSecret('session');

/** Tells whether a text has the form of a key of Sentry. */
export const isSentryKey = (text: string): boolean => readSecretKind(text) === 'session';

/** Reads the kind of a secret; undefined where prefix, length, alphabet or checksum is wrong. */
export function readSecretKind(secret: string): SecretKind | undefined {
  if (!SECRET_PATTERN.test(secret)) return undefined;
  const body = secret.slice(0, -SECRET_CHECKSUM_LENGTH);
  return checksum(body) === secret.slice(-SECRET_CHECKSUM_LENGTH) ? secretKind(secret) : undefined;
}

/** A key of the server. It digests secrets that are only compared, and encrypts those that are read again. */
export interface SecretKey extends Encryption {
  /** Number of the key: 1 for the first key of an installation, one more with each rotation. */
  readonly generation: number;
  /** Value of the setting `secret_key_check` while this key is in use. It reveals nothing of the key. */
  readonly check: string;
  /** Digests a secret for the database. The digest ends with the generation of the key, unless that is 1. */
  digest(secret: string): Uint8Array<ArrayBuffer>;
  /** Digests a secret under each accepted key, the key in use first. */
  digests(secret: string): readonly Uint8Array<ArrayBuffer>[];
  /** Computes HMAC-SHA-256 of a text of at most 256 Latin-1 characters. */
  mac(text: string): Uint8Array<ArrayBuffer>;
  /**
   * Computes HMAC-SHA-256 of any text, in hexadecimal, under a key that is derived from this one (HKDF, RFC 5869) for a
   * purpose: no text of one purpose is valid for another.
   */
  macFor(purpose: string, text: string): string;
}

const BLOCK = 64;
const DIGEST = 32;
const SECRET_BYTES_MAX = 256;
/** Bytes of the generation at the end of a digest. */
const GENERATION = 4;

/** Text whose digest is {@link SecretKey.check}, and the name of its setting. */
export const KEY_CHECK = 'secret_key_check';

/** Returns the generation of the key that made a digest. */
export const generationOf = (digest: Uint8Array): number =>
  digest.length === DIGEST ? 1 : Buffer.from(digest).readUInt32BE(DIGEST);

/** Returns the end of the digests that a key makes. */
export function generationSuffix(generation: number): Uint8Array<ArrayBuffer> {
  const suffix = Buffer.alloc(generation === 1 ? 0 : GENERATION);
  if (generation > 1) suffix.writeUInt32BE(generation);
  return suffix;
}

/**
 * Creates a key from its bytes. Computes HMAC-SHA-256 (RFC 2104) as two one-shot hashes over prepared padded keys: each
 * request needs one, and Node's `createHmac`, which creates a key object on every call, costs ten times as much.
 */
export function secretKeyOf(bytes: Uint8Array, generation = 1): SecretKey {
  const inner = Buffer.alloc(BLOCK + SECRET_BYTES_MAX, 0);
  const outer = Buffer.alloc(BLOCK + DIGEST, 0);
  for (let i = 0; i < BLOCK; i += 1) {
    inner[i] = (bytes[i] ?? 0) ^ 0x36;
    outer[i] = (bytes[i] ?? 0) ^ 0x5c;
  }
  const macOf = (text: string, size: number) => {
    const length = inner.write(text, BLOCK, 'latin1');
    // 'binary' is text with one character for each byte: Node creates it in a quarter of the time of a buffer.
    outer.write(hash('sha256', inner.subarray(0, BLOCK + length), 'binary'), BLOCK, 'latin1');
    const mac = Buffer.alloc(size);
    mac.write(hash('sha256', outer, 'binary'), 'latin1');
    return mac;
  };
  const digest = (secret: string) => {
    if (generation === 1) return macOf(secret, DIGEST);
    const made = macOf(secret, DIGEST + GENERATION);
    made.writeUInt32BE(generation, DIGEST);
    return made;
  };
  const mac = (text: string) => macOf(text, DIGEST);
  return {
    ...createEncryption(bytes, generation),
    generation,
    check: mac(KEY_CHECK).toString('hex'),
    digest,
    digests: (secret) => [digest(secret)],
    mac,
    macFor(purpose, text) {
      const key = hkdfSync('sha256', bytes, '', `quarterdeck ${purpose}`, DIGEST);
      return createHmac('sha256', new Uint8Array(key)).update(text).digest('hex');
    },
  };
}
