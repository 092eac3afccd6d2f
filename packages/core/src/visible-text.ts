// Makes text from hosts harmless for an assistant, and for the readers of messages.

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
