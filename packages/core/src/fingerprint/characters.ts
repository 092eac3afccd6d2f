// Classes of characters, and runs of one class.

export const OTHER = 0;
export const LETTER = 1;
export const DIGIT = 2;
export const BLANK = 3;

const KINDS = new Uint8Array(128);
for (let code = 0; code < 128; code += 1) {
  const isLetter = (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
  const isDigit = code >= 0x30 && code <= 0x39;
  KINDS[code] = isLetter ? LETTER : isDigit ? DIGIT : code <= 0x20 || code === 0x7f ? BLANK : OTHER;
}

/** Returns the class of a UTF-16 unit: everything outside ASCII is a letter, NaN (behind the end) is OTHER. */
export function kindOf(code: number): number {
  return code < 128 ? (KINDS[code] ?? OTHER) : code >= 128 ? LETTER : OTHER;
}

export function isHex(code: number): boolean {
  return kindOf(code) === DIGIT || (code >= 0x61 && code <= 0x66) || (code >= 0x41 && code <= 0x46);
}

/** Tells whether `from` to `to` is hexadecimal. */
export function isHexRun(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if (!isHex(text.charCodeAt(at))) return false;
  return true;
}

export function hexRun(text: string, at: number, max: number): number {
  let end = at;
  while (end - at < max && isHex(text.charCodeAt(end))) end += 1;
  return end;
}

export function digitRun(text: string, at: number, max: number): number {
  let end = at;
  while (end - at < max && kindOf(text.charCodeAt(end)) === DIGIT) end += 1;
  return end;
}

export function isWordCode(code: number): boolean {
  const kind = kindOf(code);
  return kind === LETTER || kind === DIGIT;
}

/** Tells whether a unit is a letter, also outside ASCII. */
export function isLetter(code: number): boolean {
  return kindOf(code) === LETTER;
}

/** Tells whether a unit joins letters and numbers in names and before the `@` of a mail address. */
export function isNameMark(code: number): boolean {
  return code === 0x5f || code === 0x25 || code === 0x2b || code === 0x2d || code === 0x2e;
}

/** Tells whether `from` to `to` is a short name without digits, such as the keys of JSON. */
export function isName(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (!isLetter(code) && !isNameMark(code)) return false;
  }
  return to > from && to - from <= 64;
}

/**
 * Tells whether a word or a path continues here, in the text or in its normal form, where a number begins with `<`.
 */
export function goesOn(code: number): boolean {
  return isWordCode(code) || code === 0x5f || code === 0x3c || code === 0x2f;
}

export function isQuote(code: number): boolean {
  return code === 0x22 || code === 0x27 || code === 0x60;
}

/**
 * Tells whether a query string continues. It ends at blanks, quotes, closing brackets, commas and the beginning of a
 * placeholder.
 */
export function isQueryCode(code: number): boolean {
  switch (code) {
    case 0x29:
    case 0x2c:
    case 0x3c:
    case 0x3e:
    case 0x3f:
    case 0x5c:
    case 0x5d:
    case 0x7d:
      return false;
    default:
      return kindOf(code) !== BLANK && !isQuote(code);
  }
}

/** Tells whether a token begins behind this unit: a blank, an opening bracket, or a separator. */
export function isBoundary(code: number): boolean {
  switch (code) {
    case 0x28:
    case 0x2c:
    case 0x3a:
    case 0x3b:
    case 0x3d:
    case 0x5b:
    case 0x7b:
    case 0x7c:
      return true;
    default:
      return kindOf(code) === BLANK;
  }
}

/** Returns the index of the first unit from `from` on that is not blank, at most `limit`. */
export function behindBlanks(text: string, from: number, limit: number): number {
  let at = from;
  while (at < limit && kindOf(text.charCodeAt(at)) === BLANK) at += 1;
  return at;
}
