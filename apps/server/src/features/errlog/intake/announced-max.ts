// In a file of its own, because the thread of the intake loads no events.

/** More groups than this at once are announced as one `resync`. */
export const ANNOUNCED_MAX = 100;
