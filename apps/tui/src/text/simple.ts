// Most text is made of characters about which there is no question: visible, one column each, joined with nothing.

// ASCII; Latin letters; dashes, quotes and dots; arrows; boxes, blocks and shapes before the first emoji; braille. Each
// of them is checked against everything that is asked about text in general: see simple.test.ts.
const SIMPLE = /^[\x20-\x7E\xA1-\xAC\xAE-\u02FF\u2010-\u2027\u2030-\u203B\u2190-\u21FF\u2500-\u25FC\u2800-\u28FF✓✗✖]*$/;

/** Whether every UTF-16 unit of the text is one character of one column that a terminal just shows. */
export const isSimple = (text: string): boolean => SIMPLE.test(text);
