// The second factor: codes of the moment (TOTP, RFC 6238) and recovery codes. Only arithmetic; what has been used is
// remembered by the queries in features/user/second-factor.repo.ts.
import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

const ISSUER = 'Quarterdeck';
/** RFC 4226 section 4 recommends 160 bits. */
const SEED_BYTES = 20;
const PERIOD_S = 30;
/** Steps before and after the present one whose codes count too: clocks differ, and people are slow (RFC 6238 5.2). */
const WINDOW = 1;

const totp = (seed: Uint8Array<ArrayBuffer>, label = '') =>
  new TOTP({
    issuer: ISSUER,
    label,
    algorithm: 'SHA1',
    digits: 6,
    period: PERIOD_S,
    secret: new Secret({ buffer: seed.slice().buffer }),
  });

/** A new seed. */
export const newSeed = (): Uint8Array<ArrayBuffer> => new Uint8Array(randomBytes(SEED_BYTES));

/** What a phone needs: the seed in base32, and the same as an `otpauth://` URI. */
export function describeSeed(seed: Uint8Array<ArrayBuffer>, username: string): { secret: string; uri: string } {
  const described = totp(seed, username);
  return { secret: described.secret.base32, uri: described.toString() };
}

/** Whether this is a code of the moment rather than a recovery code. */
export const isTotpCode = (code: string): boolean => /^\d{6}$/.test(code);

/** The time step that a code belongs to; undefined where it belongs to none of those that count at `nowMs`. */
export function stepOfCode(seed: Uint8Array<ArrayBuffer>, code: string, nowMs: number): number | undefined {
  if (!isTotpCode(code)) return undefined;
  const delta = totp(seed).validate({ token: code, timestamp: nowMs, window: WINDOW });
  return delta === null ? undefined : Math.floor(nowMs / 1000 / PERIOD_S) + delta;
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const RECOVERY_CODES = 10;
/** 24 digits of 5 bits: so many (120) that a fast digest is enough to keep. */
const RECOVERY_LENGTH = 24;
const RECOVERY_FORM = /^[A-Z2-7]{24}$/;

/** New recovery codes, as a person is shown them: `ABCD-EFGH-...`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    // 256 is a multiple of 32: every digit is equally likely.
    const digits = Array.from(randomBytes(RECOVERY_LENGTH), (byte) => BASE32[byte % 32]).join('');
    return digits.replaceAll(/(.{4})(?=.)/g, '$1-');
  });
}

/** What is digested of a recovery code, however it was typed; undefined for what cannot be one. */
export function normaliseRecoveryCode(code: string): string | undefined {
  const digits = code.replaceAll(/[\s-]/g, '').toUpperCase();
  return RECOVERY_FORM.test(digits) ? `recovery:${digits}` : undefined;
}
