// Removes the colours of terminals from texts: they stand between a level, a time or a word and what reads it.

const ESCAPE = '\u001B';
/** rsyslog writes the escape character like this by default. */
const ESCAPED = '#033[';
/** Selects a colour or clears a line. The numbers are bounded, so that the time stays linear. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences begin with one
const SEQUENCE = /(?:\u001B|#033)\[[\d;:]{0,32}[mK]/g;

/** Reports whether a text may have colours. It costs two searches, which are much faster than a pattern. */
const mayHaveColours = (text: string): boolean => text.includes(ESCAPE) || text.includes(ESCAPED);

/**
 * Removes colours. Where the removal of some makes new ones, which no program writes, all escape characters go, so that
 * a second removal changes nothing.
 */
export function withoutColours(text: string): string {
  if (!mayHaveColours(text)) return text;
  const plain = text.replace(SEQUENCE, '');
  if (plain.search(SEQUENCE) < 0) return plain;
  return plain.replaceAll(ESCAPE, '').replaceAll(ESCAPED, '');
}
