/** Cuts a text to so many characters. A cut is marked with `…`. */
export const shorten = (text: string, max: number): string =>
  text.length > max ? `${text.slice(0, max - 1).toWellFormed()}…` : text;
