// Expiry of a credential, as callers send it (wire contract section 5).
import { UnixMs } from './primitives.ts';

/** A non-zero `expire` below this was probably meant as seconds: in milliseconds it is March 1973. */
const SECONDS_SUSPECTED_BELOW = 100_000_000_000;

/** `expire` of a body: Unix milliseconds, 0 = never. */
export const Expire = UnixMs.refine((ms) => ms === 0 || ms >= SECONDS_SUSPECTED_BELOW, {
  message: 'must be in milliseconds since the Unix epoch; this looks like seconds',
}).meta({ description: 'Unix milliseconds, 0 = never' });
