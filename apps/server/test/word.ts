let made = 0;

/** A word that this file has not used yet, of letters only, so that nothing of it is taken for a number of an error. */
export function word(): string {
  made += 1;
  let text = 'q';
  for (let n = made; n > 0; n = Math.floor(n / 20)) text += 'ghijklmnopqrstuvwxyz'[n % 20];
  return text;
}
