// Decodes mouse reports of terminals (SGR, mode 1006).

/** A click of the left button, or a step of the wheel. Columns and rows count from 0. */
export type Mouse = { readonly column: number; readonly row: number } & (
  | { readonly kind: 'click' }
  /** 1 is down, -1 is up. */
  | { readonly kind: 'wheel'; readonly by: 1 | -1 }
);

/** Bits of the button number that name the modifier keys. */
const HELD = 4 + 8 + 16;
const BUTTONS: Readonly<Record<number, 'left' | 'up' | 'down'>> = { 0: 'left', 64: 'up', 65: 'down' };

/** Decodes the report `<button;column;row` and `M`; null for other buttons and for releases. */
export function mouseOf(parameters: string, final: string): Mouse | null {
  const match = /^<(\d{1,4});(\d{1,5});(\d{1,5})$/.exec(parameters);
  if (match === null || final !== 'M') return null;
  const [button = 0, column = 0, row = 0] = match.slice(1).map(Number);
  const which = BUTTONS[button & ~HELD];
  if (which === undefined || column < 1 || row < 1) return null;
  const at = { column: column - 1, row: row - 1 };
  return which === 'left' ? { kind: 'click', ...at } : { kind: 'wheel', by: which === 'up' ? -1 : 1, ...at };
}
