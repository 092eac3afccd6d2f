// The seal of a backup: a code of its manifest that only the holder of `secret.key` can compute. The manifest names and
// digests every file, so the seal covers all of them.
import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { SecretKey } from '../auth/secrets.ts';

const PURPOSE = 'backup manifest';

/** A seal. `key` is the generation of the key that made it. */
export const Seal = z.strictObject({ key: z.int().positive(), mac: z.string().regex(/^[0-9a-f]{64}$/) });
export type Seal = z.infer<typeof Seal>;

/**
 * Judgement of a seal: `authentic`, `unsealed` (there is none), `no key` (its key is not here), or `wrong` (somebody
 * changed the backup, or made it with another key).
 */
export type Judgement = 'authentic' | 'unsealed' | 'no key' | 'wrong';

/** Seals the text of a manifest. */
export const sealOf = (key: SecretKey, text: string): Seal => ({
  key: key.generation,
  mac: key.macFor(PURPOSE, text),
});

/** Judges a seal by the keys that are here. */
export function judgeSeal(seal: Seal | undefined, text: string, keys: readonly SecretKey[]): Judgement {
  if (seal === undefined) return 'unsealed';
  const ofGeneration = keys.filter(({ generation }) => generation === seal.key);
  if (ofGeneration.length === 0) return 'no key';
  const mac = Buffer.from(seal.mac, 'hex');
  const fits = (key: SecretKey) => timingSafeEqual(Buffer.from(key.macFor(PURPOSE, text), 'hex'), mac);
  return ofGeneration.some(fits) ? 'authentic' : 'wrong';
}
