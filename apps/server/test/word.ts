// Words have six letters at least: a short one is a part of other texts, such as the name of the program.
let made = 20 ** 4;

/** Returns an unused word, of letters only, so that the fingerprint keeps it. */
export function word(): string {
  made += 1;
  let text = 'q';
  for (let n = made; n > 0; n = Math.floor(n / 20)) text += 'ghijklmnopqrstuvwxyz'[n % 20];
  return text;
}
