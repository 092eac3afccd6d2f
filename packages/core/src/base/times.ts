// Times on the wire.

/** Converts `Date.now()` to whole Unix seconds, the unit of most times on the wire. */
export const unixSeconds = (nowMs: number): number => Math.floor(nowMs / 1000);
/** Converts Unix seconds, whole or with a fraction, to a `Date`. */
export const dateFromSeconds = (seconds: number): Date => new Date(Math.round(seconds * 1000));
