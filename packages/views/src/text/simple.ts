// Recognises simple text: visible characters of one column each that join with nothing. Most text is simple.

// ASCII; Latin letters; dashes, quotes and dots; arrows; boxes, blocks and shapes before the first emoji; braille.
// simple.test.ts checks each of them.
const SIMPLE = /^[\x20-\x7E\xA1-\xAC\xAE-\u02FF\u2010-\u2027\u2030-\u203B\u2190-\u21FF\u2500-\u25FC\u2800-\u28FF✓✗✖]*$/;

/** Returns whether every UTF-16 unit of the text is a simple character. */
export const isSimple = (text: string): boolean => SIMPLE.test(text);
