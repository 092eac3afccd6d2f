/** A text with the letters A to Z in lower case: the databases agree on the case of these and on no other. */
export const lowerAscii = (value: string) => value.replaceAll(/[A-Z]+/g, (run) => run.toLowerCase());
