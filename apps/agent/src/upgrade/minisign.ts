// Signatures in the file format of minisign (https://jedisct1.github.io/minisign/), for the agent that verifies a new
// executable and for the script that signs a release.
import { createPublicKey, type KeyObject, verify } from 'node:crypto';

/** Hash of a file that a prehashed signature signs. */
export const FILE_HASH = 'blake2b512';
/** Mark of a signature over the {@link FILE_HASH} of a file. */
export const PREHASHED = 'ED';
/** Mark of a key of Ed25519. */
export const ED25519 = 'Ed';

const MARK_BYTES = 2;
const KEY_ID_BYTES = 8;
const PUBLIC_KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
const UNTRUSTED = 'untrusted comment: ';
const TRUSTED = 'trusted comment: ';

export interface PublicKey {
  readonly id: Buffer;
  readonly key: KeyObject;
}

/** Content of a signature file. */
export interface Signature {
  readonly keyId: Buffer;
  /** Signs the hash of the file. */
  readonly ofFile: Buffer;
  readonly trustedComment: string;
  /** Signs `ofFile` and the trusted comment. */
  readonly ofComment: Buffer;
}

/** A key or signature that cannot be read, or that is not valid. The message is one line for people. */
export class SignatureError extends Error {
  override readonly name = 'SignatureError';
}

/** Decodes base64 strictly; undefined for anything else, or for another length. */
function bytesOf(text: string | undefined, length: number): Buffer | undefined {
  const bytes = Buffer.from(text ?? '', 'base64');
  return bytes.length === length && bytes.toString('base64') === text ? bytes : undefined;
}

/** Makes a key object of the 32 bytes of a public key. */
export const keyObject = (bytes: Buffer): KeyObject =>
  createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') }, format: 'jwk' });

/**
 * Reads a public key: its line of base64 alone, or with the comment line of its file.
 *
 * @throws SignatureError for anything else
 */
export function readPublicKey(text: string): PublicKey {
  const bytes = bytesOf(text.trim().split(/\r?\n/).at(-1), MARK_BYTES + KEY_ID_BYTES + PUBLIC_KEY_BYTES);
  if (bytes?.toString('latin1', 0, MARK_BYTES) !== ED25519)
    throw new SignatureError('this is no public key of minisign');
  const keyAt = MARK_BYTES + KEY_ID_BYTES;
  return { id: bytes.subarray(MARK_BYTES, keyAt), key: keyObject(bytes.subarray(keyAt)) };
}

export function writeSignature({ keyId, ofFile, trustedComment, ofComment }: Signature, untrusted: string): string {
  const first = Buffer.concat([Buffer.from(PREHASHED), keyId, ofFile]).toString('base64');
  return `${UNTRUSTED}${untrusted}\n${first}\n${TRUSTED}${trustedComment}\n${ofComment.toString('base64')}\n`;
}

/**
 * Reads a signature file. Nothing in it is trustworthy before {@link verifyComment}.
 *
 * @throws SignatureError for anything else
 */
export function readSignature(text: string): Signature {
  const [untrusted, first, comment, ofComment, ...rest] = text.replace(/\n$/, '').split(/\r?\n/);
  const bytes = bytesOf(first, MARK_BYTES + KEY_ID_BYTES + SIGNATURE_BYTES);
  const global = bytesOf(ofComment, SIGNATURE_BYTES);
  const isComplete = untrusted?.startsWith(UNTRUSTED) && comment?.startsWith(TRUSTED) && rest.length === 0;
  if (!isComplete || bytes === undefined || global === undefined || comment === undefined) {
    throw new SignatureError('this is no signature of minisign');
  }
  if (bytes.toString('latin1', 0, MARK_BYTES) !== PREHASHED) {
    throw new SignatureError('the signature is not one of a prehashed file');
  }
  return {
    keyId: bytes.subarray(MARK_BYTES, MARK_BYTES + KEY_ID_BYTES),
    ofFile: bytes.subarray(MARK_BYTES + KEY_ID_BYTES),
    trustedComment: comment.slice(TRUSTED.length),
    ofComment: global,
  };
}

/** The bytes that the second signature of a file signs. */
export const signedComment = ({ ofFile, trustedComment }: Pick<Signature, 'ofFile' | 'trustedComment'>): Buffer =>
  Buffer.concat([ofFile, Buffer.from(trustedComment)]);

/**
 * Verifies the trusted comment, and with it which file and version were signed. Returns the key.
 *
 * @throws SignatureError when no key has made the signature
 */
export function verifyComment(signature: Signature, keys: readonly PublicKey[]): PublicKey {
  const found = keys.find(({ id }) => id.equals(signature.keyId));
  if (found === undefined) throw new SignatureError('the signature is from a key that this host does not trust');
  if (!verify(null, signedComment(signature), found.key, signature.ofComment)) {
    throw new SignatureError('the signature of the trusted comment is not valid');
  }
  return found;
}

/**
 * Verifies that a signature belongs to a file.
 *
 * @param hash the {@link FILE_HASH} of the file
 * @throws SignatureError when it does not
 */
export function verifyFile({ ofFile }: Signature, { key }: PublicKey, hash: Buffer): void {
  if (!verify(null, hash, key, ofFile)) throw new SignatureError('the file is not the one that was signed');
}
