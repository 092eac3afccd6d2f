// A message in pieces: the parts that differ from one occurrence of an error to the next, and the words between them.
import { messageParts, type PartKind } from '@quarterdeck/core/message-parts';

/** A piece of a message; without a kind, a text that all occurrences share. */
export interface MessagePiece {
  readonly text: string;
  readonly kind?: PartKind;
}

/** Cuts a cleaned message into its pieces. */
export function messagePieces(text: string): MessagePiece[] {
  const pieces: MessagePiece[] = [];
  let at = 0;
  for (const { from, to, kind } of messageParts(text)) {
    if (from > at) pieces.push({ text: text.slice(at, from) });
    pieces.push({ text: text.slice(from, to), kind });
    at = to;
  }
  if (at < text.length) pieces.push({ text: text.slice(at) });
  return pieces;
}
