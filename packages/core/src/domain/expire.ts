// When a credential ends, as callers say it (wire contract section 5).
import { UnixMs } from './primitives.ts';

/** Below this a non-zero `expire` must have been meant as seconds: it is March 1973 in milliseconds. */
const SECONDS_SUSPECTED_BELOW = 100_000_000_000;

/** `expire` of a body: Unix milliseconds, 0 = never. */
export const Expire = UnixMs.refine((ms) => ms === 0 || ms >= SECONDS_SUSPECTED_BELOW, {
  message: 'must be in milliseconds since the Unix epoch; this looks like seconds',
}).meta({ description: 'Unix milliseconds, 0 = never' });
