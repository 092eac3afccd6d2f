// Generates secrets, checks their form, and digests them for the database. The digest is an HMAC under a key outside
// the database, so neither a leaked nor a forged copy of it yields a credential.
import { hash, randomBytes, randomFillSync } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
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
import { ConfigError } from '@quarterdeck/core/environment';
import { createEncryption, type Encryption } from './encryption.ts';

const KEY_BYTES = 32;
const KEY_FILE = 'secret.key';

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

/** Reads the kind of a secret; undefined where prefix, length, alphabet or checksum is wrong. */
export function readSecretKind(secret: string): SecretKind | undefined {
  if (!SECRET_PATTERN.test(secret)) return undefined;
  const body = secret.slice(0, -SECRET_CHECKSUM_LENGTH);
  return checksum(body) === secret.slice(-SECRET_CHECKSUM_LENGTH) ? secretKind(secret) : undefined;
}

/** The server's key. It digests secrets that are only compared, and encrypts those that are read again. */
export interface SecretKey extends Encryption {
  /** Digests a secret for the database. */
  digest(secret: string): Uint8Array<ArrayBuffer>;
}

const BLOCK = 64;
const DIGEST = 32;
const SECRET_BYTES_MAX = 256;

/**
 * Creates a key from its bytes. Computes HMAC-SHA-256 (RFC 2104) as two one-shot hashes over prepared padded keys: each
 * request needs one, and Node's `createHmac`, which creates a key object on every call, costs ten times as much.
 */
export function secretKeyOf(bytes: Uint8Array): SecretKey {
  const inner = Buffer.alloc(BLOCK + SECRET_BYTES_MAX, 0);
  const outer = Buffer.alloc(BLOCK + DIGEST, 0);
  for (let i = 0; i < BLOCK; i += 1) {
    inner[i] = (bytes[i] ?? 0) ^ 0x36;
    outer[i] = (bytes[i] ?? 0) ^ 0x5c;
  }
  return {
    ...createEncryption(bytes),
    digest(secret) {
      const length = inner.write(secret, BLOCK, 'latin1');
      // 'binary' is text with one character for each byte: Node creates it in a quarter of the time of a buffer.
      outer.write(hash('sha256', inner.subarray(0, BLOCK + length), 'binary'), BLOCK, 'latin1');
      const digest = Buffer.alloc(DIGEST);
      digest.write(hash('sha256', outer, 'binary'), 'latin1');
      return digest;
    },
  };
}

/**
 * Opens the key file of an existing data folder, and creates it on the first start. The file appears whole or not at
 * all, also when several servers start at once.
 *
 * @throws ConfigError where the file exists and is not a key
 */
export function openSecretKey(dataDir: string): SecretKey {
  const path = join(dataDir, KEY_FILE);
  const text = readIfThere(path) ?? createKeyFile(path, dataDir);
  const bytes = Buffer.from(text.trim(), 'hex');
  if (bytes.length !== KEY_BYTES) {
    throw new ConfigError(`${path} is not a key file: it must hold ${KEY_BYTES * 2} hexadecimal digits`);
  }
  return secretKeyOf(bytes);
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ConfigError(`cannot read ${path}`, { cause: error });
  }
}

function createKeyFile(path: string, dataDir: string): string {
  const text = `${randomBytes(KEY_BYTES).toString('hex')}\n`;
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  const file = openSync(draft, 'wx', 0o600);
  writeSync(file, text);
  fsyncSync(file);
  closeSync(file);
  try {
    // A link fails where the name is taken: the second server uses the key of the first.
    linkSync(draft, path);
    const folder = openSync(dataDir, 'r');
    fsyncSync(folder);
    closeSync(folder);
    return text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return readFileSync(path, 'utf8');
    throw error;
  } finally {
    unlinkSync(draft);
  }
}
