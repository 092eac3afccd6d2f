// The copy of the server's key in a backup, encrypted under a passphrase (scrypt, RFC 7914; AES-256-GCM).
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { z } from 'zod';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SALT_BYTES = 16;
/** 128 MiB of memory for each guess. */
const COST = { n: 2 ** 17, r: 8, p: 1 };

/** Header of a sealed file. Its cost is bounded, because another's file must not take all memory. */
const Header = z.strictObject({
  format: z.literal('quarterdeck-key'),
  version: z.literal(1),
  kdf: z.literal('scrypt'),
  n: z
    .int()
    .min(COST.n)
    .max(2 ** 20),
  r: z.literal(COST.r),
  p: z.int().min(1).max(4),
  salt: z.base64(),
  nonce: z.base64(),
});
const Sealed = z.strictObject({ header: Header, sealed: z.base64() });
const Files = z.record(z.string(), z.string());

/** Files by name, with their text. */
export type KeyFiles = Readonly<Record<string, string>>;

/** The passphrase is wrong, or the file was changed or belongs to another backup. */
export class WrongPassphrase extends Error {
  override readonly name = 'WrongPassphrase';
}

/** Encrypts files. `owner` is the digest of the database that they belong to; the result opens with no other. */
export async function sealKeys(files: KeyFiles, passphrase: string, owner: string): Promise<string> {
  const header = {
    format: 'quarterdeck-key',
    version: 1,
    kdf: 'scrypt',
    ...COST,
    salt: randomBytes(SALT_BYTES).toString('base64'),
    nonce: randomBytes(NONCE_BYTES).toString('base64'),
  } as const;
  const key = await deriveKey(passphrase, header);
  const cipher = createCipheriv(CIPHER, key, Buffer.from(header.nonce, 'base64')).setAAD(boundTo(header, owner));
  const sealed = Buffer.concat([cipher.update(JSON.stringify(files), 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${JSON.stringify({ header, sealed: sealed.toString('base64') })}\n`;
}

/**
 * Decrypts what {@link sealKeys} returned.
 *
 * @throws WrongPassphrase
 */
export async function openKeys(text: string, passphrase: string, owner: string): Promise<KeyFiles> {
  try {
    const { header, sealed } = Sealed.parse(JSON.parse(text));
    const bytes = Buffer.from(sealed, 'base64');
    const key = await deriveKey(passphrase, header);
    const decipher = createDecipheriv(CIPHER, key, Buffer.from(header.nonce, 'base64'), { authTagLength: TAG_BYTES })
      .setAAD(boundTo(header, owner))
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    const plain = Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]);
    return Files.parse(JSON.parse(plain.toString('utf8')));
  } catch (cause) {
    throw new WrongPassphrase('the passphrase is wrong, or the file was changed', { cause });
  }
}

const boundTo = (header: z.infer<typeof Header>, owner: string) => Buffer.from(JSON.stringify([header, owner]));

const derive = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(scrypt);

/** The same characters give the same key, however the keyboard composed them. */
const deriveKey = (passphrase: string, { n, r, p, salt }: Pick<z.infer<typeof Header>, 'n' | 'r' | 'p' | 'salt'>) =>
  derive(passphrase.normalize('NFKC'), Buffer.from(salt, 'base64'), KEY_BYTES, {
    N: n,
    r,
    p,
    maxmem: 256 * n * r,
  });
