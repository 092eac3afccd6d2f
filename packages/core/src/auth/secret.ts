// Form of every secret that this service issues: `qd_`, type letter, `_`, 43 random base62 characters, 6 base62
// characters of CRC-32 over everything before them. The prefix lets secret scanners find a leaked secret. The checksum
// lets a server refuse a mistyped or invented one without a query.

/**
 * Kind of secret -> its letter. The key of a DSN of Sentry has the letter of sessions, and is read by the endpoints of
 * Sentry alone: which of the two a secret is says the table that has it (decision 085).
 */
export const SECRET_LETTERS = { session: 's', api_token: 't', agent: 'a', enrollment: 'e', link: 'l' } as const;

/** Kind of a secret; its letter stands in the prefix, as in `qd_t_`. */
export type SecretKind = keyof typeof SECRET_LETTERS;

/** Kind of a secret that identifies a caller. The key of a read-only link comes in a header of its own. */
export type CredentialKind = Exclude<SecretKind, 'link'>;

/** Base62 digits, in the order of their value. */
export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Random characters of a secret: 43 base62 digits are 256 bits. */
export const SECRET_RANDOM_LENGTH = 43;
/** Checksum characters of a secret: 62^6 > 2^32. */
export const SECRET_CHECKSUM_LENGTH = 6;

/** Matches a secret of any kind; for secret scanners. */
export const SECRET_PATTERN = /^qd_[a-z]_[0-9A-Za-z]{49}$/;

const KINDS = new Map<string, SecretKind>(
  Object.entries(SECRET_LETTERS).map(([kind, letter]) => [letter, kind as SecretKind]),
);

/** Kind that the prefix of a secret names; undefined for foreign text. It does not validate the secret. */
export function secretKind(secret: string): SecretKind | undefined {
  return secret.startsWith('qd_') && secret[4] === '_' ? KINDS.get(secret[3] ?? '') : undefined;
}
