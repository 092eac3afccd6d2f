/** Converts the letters A to Z to lower case; the databases agree on the case of no other letters. */
export const lowerAscii = (value: string) => value.replaceAll(/[A-Z]+/g, (run) => run.toLowerCase());
