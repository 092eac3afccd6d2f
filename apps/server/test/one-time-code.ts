import { Secret, TOTP } from 'otpauth';

/** The code of an authenticator app at a time, Unix milliseconds. */
export const oneTimeCode = (secret: string, timestamp: number): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp });
