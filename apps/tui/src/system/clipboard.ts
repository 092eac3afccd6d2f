// Copies text to the clipboard: by OSC 52, which also works over SSH, and by the clipboard programs of this host. The
// text goes to their standard input, which no other process can read.
import { spawn } from 'node:child_process';

/** A program that copies its standard input to the clipboard. */
export type ClipboardProgram = readonly [program: string, ...args: string[]];

/** Ways to the clipboard. */
export interface Clipboard {
  /** Inside tmux. Its own program comes first, the terminal only if that fails. */
  readonly isTmux: boolean;
  /** Programs in the order in which to try them, until one succeeds. */
  readonly programs: readonly ClipboardProgram[];
}

export const NO_CLIPBOARD: Clipboard = { isTmux: false, programs: [] };

/** The OSC 52 sequence. It draws nothing and does not move the cursor. */
export const clipboardSequence = (text: string): string =>
  `\u001B]52;c;${Buffer.from(text, 'utf8').toString('base64')}\u0007`;

/** Pipes the text to a program. Resolves with whether the program succeeded. */
function pipeTo([program, ...args]: ClipboardProgram, text: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'ignore'] });
  child.on('error', () => resolve(false));
  // Some programs stay in the background to serve the text: their first process ends.
  child.on('exit', (code) => resolve(code === 0));
  child.stdin.on('error', () => undefined);
  child.stdin.end(text);
  return promise;
}

/** Copies a text to the clipboard. `write` writes to the terminal. */
export async function copyText(clipboard: Clipboard, text: string, write: (sequence: string) => void): Promise<void> {
  // By default, tmux ignores OSC 52 of programs but obeys its own command.
  if (!clipboard.isTmux) write(clipboardSequence(text));
  for (const program of clipboard.programs) if (await pipeTo(program, text)) return;
  if (clipboard.isTmux) write(clipboardSequence(text));
}
