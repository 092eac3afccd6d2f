// Signs the files of a release in the file format of minisign, which users verify with `minisign -V`. The secret key is
// a file of minisign; it comes from the environment and is never written anywhere.
import { createHash, createPrivateKey, createPublicKey, type KeyObject, scryptSync, sign } from 'node:crypto';
import { createReadStream, readFileSync, writeFileSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { ED25519, FILE_HASH, signedComment, writeSignature } from '../../apps/agent/src/upgrade/minisign.ts';

/** Names the file of the secret key. */
export const KEY_FILE = 'QUARTERDECK_RELEASE_KEY_FILE';
/** Names a file with the password of the secret key, where it has one. */
export const PASSWORD_FILE = 'QUARTERDECK_RELEASE_KEY_PASSWORD_FILE';

interface SecretKey {
  readonly id: Buffer;
  readonly key: KeyObject;
}

/** Layout of a secret key: marks of three algorithms, parameters of the password, then the key itself. */
const MARKS = { key: [0, 2], kdf: [2, 4] } as const;
const SALT = [6, 38] as const;
const OPERATIONS_AT = 38;
const MEMORY_AT = 46;
const KEY_AT = 54;
const ALL_BYTES = 158;
const ID_BYTES = 8;
const SEED_BYTES = 32;

/** Block size of scrypt, which libsodium fixes. */
const BLOCK = 8;
/** Most memory that a key may ask for. The largest that minisign writes asks for 1 GiB. */
const MEMORY_MAX = 2 ** 30 + 2 ** 24;

/** Parameters of scrypt, as `pickparams` of libsodium derives them from the limits in the key. */
function scryptParameters(operations: number, memory: number): { N: number; p: number } {
  const isSmall = operations < memory / 32;
  const most = isSmall ? operations / (BLOCK * 4) : memory / (BLOCK * 128);
  let log = 1;
  while (log < 63 && 2 ** log <= most / 2) log += 1;
  return { N: 2 ** log, p: isSmall ? 1 : Math.floor(Math.min(operations / 4, 0x3fffffff) / 2 ** log / BLOCK) };
}

/** Decrypts the key with the password. */
function decrypt(bytes: Buffer, password: string): Buffer {
  const operations = Number(bytes.readBigUInt64LE(OPERATIONS_AT));
  const memory = Number(bytes.readBigUInt64LE(MEMORY_AT));
  const { N, p } = scryptParameters(operations, memory);
  const length = ALL_BYTES - KEY_AT;
  const pad = scryptSync(password, bytes.subarray(...SALT), length, { N, r: BLOCK, p, maxmem: MEMORY_MAX });
  return Buffer.from(bytes.subarray(KEY_AT).map((byte, index) => byte ^ (pad[index] ?? 0)));
}

/** Reads a secret key. It stores the public key behind the seed, which detects a wrong password. */
export function readSecretKey(text: string, password?: string): SecretKey {
  const bytes = Buffer.from(text.trim().split(/\r?\n/).at(-1) ?? '', 'base64');
  if (bytes.length !== ALL_BYTES || bytes.toString('latin1', ...MARKS.key) !== ED25519) {
    throw new Error(`${KEY_FILE} does not name a secret key of minisign.`);
  }
  const isEncrypted = bytes.toString('latin1', ...MARKS.kdf) === 'Sc';
  if (isEncrypted && password === undefined) throw new Error(`The key has a password. Set ${PASSWORD_FILE}.`);
  const plain = isEncrypted ? decrypt(bytes, password ?? '') : bytes.subarray(KEY_AT);
  const seed = plain.subarray(ID_BYTES, ID_BYTES + SEED_BYTES);
  const stored = plain.subarray(ID_BYTES + SEED_BYTES, ID_BYTES + 2 * SEED_BYTES);
  // The header of an Ed25519 key in PKCS #8 (RFC 8410).
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const { x } = createPublicKey(key).export({ format: 'jwk' });
  if (x !== stored.toString('base64url')) throw new Error('The password of the key is wrong, or the key is damaged.');
  return { id: plain.subarray(0, ID_BYTES), key };
}

const fileIn = (name: string): string | undefined => process.env[name] || undefined;

/** The last key that was read: scrypt takes seconds. */
let last: { readonly file: string; readonly key: SecretKey } | undefined;

/** The key that the environment names; undefined where it names none. */
export function releaseKey(): SecretKey | undefined {
  const [file, passwordFile] = [fileIn(KEY_FILE), fileIn(PASSWORD_FILE)];
  if (file === undefined) return undefined;
  if (last?.file === file) return last.key;
  const password = passwordFile === undefined ? undefined : readFileSync(passwordFile, 'utf8').replace(/\r?\n$/, '');
  last = { file, key: readSecretKey(readFileSync(file, 'utf8'), password) };
  return last.key;
}

/** The trusted comment of a file of a release. The agent refuses an executable without both words. */
export const releaseComment = (name: string, version: string): string => `file:${name} version:${version}`;

/**
 * Signs a file and writes the signature beside it, to `PATH.minisig`. The same key, file and comment give the same
 * bytes.
 *
 * @param trustedComment one line that the signature covers
 */
export async function signFile(path: string, trustedComment: string): Promise<void> {
  const secret = releaseKey();
  if (secret === undefined) throw new Error(`${KEY_FILE} is not set.`);
  const hash = createHash(FILE_HASH);
  await pipeline(createReadStream(path), hash);
  const ofFile = sign(null, hash.digest(), secret.key);
  const ofComment = sign(null, signedComment({ ofFile, trustedComment }), secret.key);
  const untrusted = `signature of key ${Buffer.from(secret.id).reverse().toString('hex').toUpperCase()}`;
  writeFileSync(`${path}.minisig`, writeSignature({ keyId: secret.id, ofFile, trustedComment, ofComment }, untrusted));
}
