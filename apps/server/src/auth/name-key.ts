// The key by which usernames are compared without case. It is ours: what a database takes for the same letter depends
// on its locale, and SQLite knows the case of ASCII letters alone.

const DOTLESS = 'ı';

/**
 * Folds the case of a username as Unicode's default caseless matching does, in every locale: `STRASSE` is `straße`, and
 * `ISIL` is `isil` but not `ısıl`. Composed and decomposed letters are the same.
 */
export function nameKey(username: string): string {
  // Three steps reach ß by way of ẞ and SS. The dotless i has no case pair outside of Turkish.
  const fold = (part: string) => part.toLowerCase().toUpperCase().toLowerCase();
  const folded = username.normalize('NFC').split(DOTLESS).map(fold).join(DOTLESS);
  // JavaScript writes a sigma at the end of a word in its own form.
  return folded.replaceAll('ς', 'σ').normalize('NFC');
}
