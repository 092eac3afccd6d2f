// Times as they travel.

/** Whole Unix seconds, the unit of most times on the wire, of `Date.now()`. */
export const unixSeconds = (nowMs: number): number => Math.floor(nowMs / 1000);
/** A wire value in Unix milliseconds as a `Date`; `null` for 0, which the wire uses for "never". */
export const dateFromMs = (ms: number): Date | null => (ms === 0 ? null : new Date(ms));
/** A wire value in Unix seconds, whole or with a fraction, as a `Date`. */
export const dateFromSeconds = (seconds: number): Date => new Date(Math.round(seconds * 1000));
