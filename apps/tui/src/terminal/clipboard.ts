// Hands text to the clipboard of the terminal, wherever that is: OSC 52, understood over SSH as well.

/** The sequence that sets the clipboard. It draws nothing and does not move the cursor. */
export const clipboardSequence = (text: string): string =>
  `\u001B]52;c;${Buffer.from(text, 'utf8').toString('base64')}\u0007`;
