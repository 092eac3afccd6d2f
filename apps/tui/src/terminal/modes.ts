// Sequences that take over the terminal and restore it. Without imports, because they are written before anything is
// loaded.

/**
 * Enters the alternate screen, hides the cursor, enables bracketed paste and clears the screen. Autowrap is off, so
 * that a glyph wider than expected does not run into the next row.
 */
export const ENTER = '\u001B[?1049h\u001B[?7l\u001B[?25l\u001B[?2004h\u001B[m\u001B[r\u001B[H\u001B[2J';

/**
 * Restores the terminal; harmless if repeated. Clears the screen first, because tmux 3.3 leaves rows of the alternate
 * screen behind after a resize.
 */
export const LEAVE =
  '\u001B[?2026l\u001B[?1006l\u001B[?1000l\u001B[m\u001B[r\u001B[H\u001B[2J\u001B[?2004l\u001B[?7h\u001B[?25h\u001B[?1049l';

/** Enables mouse reports of the form `ESC [ < button ; column ; row M`: buttons and the wheel, no motion. */
export const MOUSE_ON = '\u001B[?1000h\u001B[?1006h';
/** Disables mouse reports; harmless if they are off. */
export const MOUSE_OFF = '\u001B[?1006l\u001B[?1000l';

/** Renders lines that the terminal wraps, as many as fit, with a hint in the last row. */
export function bareText(
  lines: readonly string[],
  { columns, rows }: { readonly columns: number; readonly rows: number },
): string {
  let room = rows - 2;
  const shown: string[] = [];
  for (const line of lines) {
    room -= Math.max(1, Math.ceil(line.length / columns));
    if (room < 0) break;
    shown.push(line);
  }
  return `\u001B[?7h\u001B[m\u001B[H\u001B[2J${shown.join('\r\n')}\u001B[${rows}H\u001B[2mPress any key to return\u001B[m`;
}

/** Ends bare text. */
export const BARE_END = '\u001B[?7l';
