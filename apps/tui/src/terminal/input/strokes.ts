// Names of keys.

/** A run of printable text, or one named key: `enter`, `escape`, `shift+tab`, `ctrl+d`, `alt+f`, `ctrl+left`, `f5`. */
export type Press = { readonly text: string } | { readonly stroke: string };

/** Returns the name of a printable character's key, as in the keymap. */
export const strokeOf = (character: string): string => (character === ' ' ? 'space' : character);
