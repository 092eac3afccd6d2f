// Codes of the second factor: TOTP (RFC 6238) and recovery codes. Only arithmetic; features/user/second-factor.repo.ts
// stores which codes were used.
import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

const ISSUER = 'Quarterdeck';
/** RFC 4226 section 4 recommends 160 bits. */
const SEED_BYTES = 20;
const PERIOD_S = 30;
/** Steps before and after the current one whose codes are accepted: clocks differ, people are slow (RFC 6238 5.2). */
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

/** Generates a seed. */
export const newSeed = (): Uint8Array<ArrayBuffer> => new Uint8Array(randomBytes(SEED_BYTES));

/** Formats a seed for an authenticator app: in base32, and as an `otpauth://` URI. */
export function describeSeed(seed: Uint8Array<ArrayBuffer>, username: string): { secret: string; uri: string } {
  const described = totp(seed, username);
  return { secret: described.secret.base32, uri: described.toString() };
}

/** True for the form of a TOTP code, false for a recovery code. */
export const isTotpCode = (code: string): boolean => /^\d{6}$/.test(code);

/** Finds the time step of a TOTP code; undefined where no step accepted at `nowMs` has this code. */
export function stepOfCode(seed: Uint8Array<ArrayBuffer>, code: string, nowMs: number): number | undefined {
  if (!isTotpCode(code)) return undefined;
  const delta = totp(seed).validate({ token: code, timestamp: nowMs, window: WINDOW });
  return delta === null ? undefined : Math.floor(nowMs / 1000 / PERIOD_S) + delta;
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const RECOVERY_CODES = 10;
/** 24 digits of 5 bits, 120 bits in all: enough to be stored as a fast digest. */
const RECOVERY_LENGTH = 24;
const RECOVERY_FORM = /^[A-Z2-7]{24}$/;

/** Generates recovery codes in the form that the user sees: `ABCD-EFGH-...`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    // 256 is a multiple of 32: every digit is equally likely.
    const digits = Array.from(randomBytes(RECOVERY_LENGTH), (byte) => BASE32[byte % 32]).join('');
    return digits.replaceAll(/(.{4})(?=.)/g, '$1-');
  });
}

/** Normalises a typed recovery code to the text that is digested; undefined for any other text. */
export function normaliseRecoveryCode(code: string): string | undefined {
  const digits = code.replaceAll(/[\s-]/g, '').toUpperCase();
  return RECOVERY_FORM.test(digits) ? `recovery:${digits}` : undefined;
}
