// What terminals report of the mouse (SGR, 1006), where they were asked to.

/** A click with the left button, or the wheel. Columns and rows of the terminal, from 0. */
export type Mouse = { readonly column: number; readonly row: number } & (
  | { readonly kind: 'click' }
  /** Steps down; negative: up. */
  | { readonly kind: 'wheel'; readonly by: 1 | -1 }
);

/** Bits of the number of a button that say which keys were held with it. */
const HELD = 4 + 8 + 16;
const BUTTONS: Readonly<Record<number, 'left' | 'up' | 'down'>> = { 0: 'left', 64: 'up', 65: 'down' };

/** A report, `<button;column;row` and `M`; null for what nobody here wants to know: other buttons, letting go. */
export function mouseOf(parameters: string, final: string): Mouse | null {
  const match = /^<(\d{1,4});(\d{1,5});(\d{1,5})$/.exec(parameters);
  if (match === null || final !== 'M') return null;
  const [button = 0, column = 0, row = 0] = match.slice(1).map(Number);
  const which = BUTTONS[button & ~HELD];
  if (which === undefined || column < 1 || row < 1) return null;
  const at = { column: column - 1, row: row - 1 };
  return which === 'left' ? { kind: 'click', ...at } : { kind: 'wheel', by: which === 'up' ? -1 : 1, ...at };
}
