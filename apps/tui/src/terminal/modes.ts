// How the terminal is taken over and given back. Kept free of imports: the skeleton is written before anything is loaded.

/**
 * Alternate screen, cursor hidden, bracketed paste, nothing on the screen. Autowrap is off: a glyph that the terminal
 * finds wider than we do must not run into the next row.
 */
export const ENTER = '\u001B[?1049h\u001B[?7l\u001B[?25l\u001B[?2004h\u001B[m\u001B[r\u001B[H\u001B[2J';

/**
 * The way back; harmless where it has been gone already. The screen is emptied first: tmux 3.3 leaves rows of the
 * alternate screen behind after a resize, and those are blank then.
 */
export const LEAVE =
  '\u001B[?2026l\u001B[?1006l\u001B[?1000l\u001B[m\u001B[r\u001B[H\u001B[2J\u001B[?2004l\u001B[?7h\u001B[?25h\u001B[?1049l';

/** Asks for reports of the mouse, as `ESC [ < button ; column ; row M`: buttons and the wheel, no motion. */
export const MOUSE_ON = '\u001B[?1000h\u001B[?1006h';
/** Ends them; harmless where nobody asked. */
export const MOUSE_OFF = '\u001B[?1006l\u001B[?1000l';

/** Lines for the terminal to wrap, as many as there is room for, on a screen with nothing else but how to go on. */
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
  return `\u001B[?7h\u001B[m\u001B[H\u001B[2J${shown.join('\r\n')}\u001B[${rows}H\u001B[2mAny key: back\u001B[m`;
}

/** After that. */
export const BARE_END = '\u001B[?7l';
