// The loaded part of a long list, which moves with the rows in view.

/** Rows that are loaded at once. */
export const LOADED_ROWS = 400;
/** Rows before those in view that are loaded when the part moves, and the unit of its places. */
const STEP = 100;
/** The part moves when rows in view are nearer to its end. */
const MARGIN = STEP / 2;

/** Returns the first row to load for rows in view, the end exclusive. `start` is the first one that is loaded. */
export function startFor(from: number, to: number, start: number): number {
  const isInside = (start === 0 || from >= start + MARGIN) && to <= start + LOADED_ROWS - MARGIN;
  return isInside ? start : Math.max(0, Math.floor(from / STEP) * STEP - STEP);
}
