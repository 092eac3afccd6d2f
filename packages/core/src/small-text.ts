// Texts that people write by hand: variables, small files, lines of standard input.

/** Removes the byte order mark that editors and shells of Windows write. */
export const withoutMark = (text: string): string => text.replace(/^\ufeff/, '');

/** The value in a variable or a small file: without a byte order mark, and without the line ends at its end. */
export const valueIn = (text: string): string => withoutMark(text).replace(/[\r\n]+$/, '');

// Controls, format characters, unpaired surrogates, private use, separators other than the space, and what fonts
// leave out.
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu;

/** Shows characters that nobody sees as escapes, such as `\u200b`, in a message that quotes a value. */
export const escapeUnseen = (text: string): string =>
  text.replaceAll(UNSEEN, (character) => {
    const hex = (character.codePointAt(0) ?? 0).toString(16);
    return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
  });

/** Quotes a value for a message. */
export const quoted = (text: string): string => escapeUnseen(JSON.stringify(text));
