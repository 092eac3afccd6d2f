// Hands text to the clipboard of the terminal, wherever that is: by OSC 52, understood over SSH as well, and by the programs
// of this host, where the terminal does not take it. The text goes to their standard input, where nobody else can read it.
import { spawn } from 'node:child_process';

/** A program that takes what is to be in the clipboard from its standard input. */
export type ClipboardProgram = readonly [program: string, ...args: string[]];

/** Who is asked to take a text. */
export interface Clipboard {
  /** In tmux: its own program is asked first, and the terminal only where that does not take it. */
  readonly isTmux: boolean;
  /** One after the other, until one has taken it. */
  readonly programs: readonly ClipboardProgram[];
}

/** No program is known. */
export const NO_CLIPBOARD: Clipboard = { isTmux: false, programs: [] };

/** The sequence that sets the clipboard. It draws nothing and does not move the cursor. */
export const clipboardSequence = (text: string): string =>
  `\u001B]52;c;${Buffer.from(text, 'utf8').toString('base64')}\u0007`;

/** Gives a program the text; whether it took it. */
function hand([program, ...args]: ClipboardProgram, text: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'ignore'] });
  child.on('error', () => resolve(false));
  // Some stay, to hand it on: their first process ends.
  child.on('exit', (code) => resolve(code === 0));
  child.stdin.on('error', () => undefined);
  child.stdin.end(text);
  return promise;
}

/** Puts a text into the clipboard; `write` is the terminal's. */
export async function copyText(clipboard: Clipboard, text: string, write: (sequence: string) => void): Promise<void> {
  // As it comes by default, tmux does not let programs set the clipboard, but for its own.
  if (!clipboard.isTmux) write(clipboardSequence(text));
  for (const program of clipboard.programs) if (await hand(program, text)) return;
  if (clipboard.isTmux) write(clipboardSequence(text));
}
