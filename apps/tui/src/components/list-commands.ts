// The movements every list has, from one function that moves.
import type { Handler } from '../keys/keyboard.ts';

/** How to move a selection. */
export interface Mover {
  readonly by: (delta: number) => void;
  readonly to: (index: number) => void;
}

/** Handlers of the scope `list` but refresh. */
export function listCommands(
  mover: Mover,
  height: number,
): Record<'down' | 'up' | 'top' | 'bottom' | 'halfDown' | 'halfUp' | 'pageDown' | 'pageUp', Handler> {
  const page = Math.max(1, height - 1);
  const half = Math.max(1, Math.floor(height / 2));
  return {
    down: (times) => mover.by(times),
    up: (times) => mover.by(-times),
    top: () => mover.to(0),
    bottom: () => mover.to(Number.MAX_SAFE_INTEGER),
    halfDown: (times) => mover.by(half * times),
    halfUp: (times) => mover.by(-half * times),
    pageDown: (times) => mover.by(page * times),
    pageUp: (times) => mover.by(-page * times),
  };
}
