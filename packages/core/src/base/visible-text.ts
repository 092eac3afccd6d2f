// Makes text from hosts harmless for an assistant, for the readers of messages, and as names.

// CSI sequences; strings such as OSC with their end; short escape sequences (ECMA-48). Each is bounded, so that no text
// is slow, and a string without its end hides nothing.
const ESCAPES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes
  /(?:\u001b\[|\u009b)[0-?]{0,64}[ -/]{0,16}[@-~]?|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]{0,4096}(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]{0,4}[0-~]?/g;

// Controls but tab and newline, format and bidi characters, tags, private use, unpaired surrogates, and the rest of
// what no reader sees: text hidden in them would reach the assistant and no person.
const HIDDEN = /(?![\t\n])[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Removes escape sequences and invisible characters; keeps tabs and lines. Idempotent. */
export function visibleText(text: string): string {
  return text
    .replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
    .replaceAll(ESCAPES, '')
    .replaceAll(HIDDEN, '');
}

const PLAIN_NAME = /^[!-~]*$/;
/** The Braille blank is the only sign without a mark that Unicode does not call ignorable. */
const BLANKS = /[\s\p{Cc}\p{Z}\u2800]+/gu;

/**
 * Makes a name one line that looks as it is: control characters and blanks become spaces. Characters without width and
 * those that turn the direction of text are removed. For the names of hosts, services, users, tokens, rules and all
 * else that people choose. Idempotent.
 */
export function visibleName(name: string): string {
  if (PLAIN_NAME.test(name)) return name;
  return name.replaceAll(BLANKS, ' ').replaceAll(HIDDEN, '').replaceAll(/ {2,}/g, ' ').trim();
}

/** Form in which names are compared: two that look alike but for capitals, width or ligatures are the same. */
export const nameKey = (name: string): string => visibleName(name).normalize('NFKC').toLowerCase();
