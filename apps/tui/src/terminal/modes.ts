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
export const LEAVE = '\u001B[?2026l\u001B[m\u001B[r\u001B[H\u001B[2J\u001B[?2004l\u001B[?7h\u001B[?25h\u001B[?1049l';
