let made = 0;

/** Returns an unused word, of letters only, so that the fingerprint keeps it. */
export function word(): string {
  made += 1;
  let text = 'q';
  for (let n = made; n > 0; n = Math.floor(n / 20)) text += 'ghijklmnopqrstuvwxyz'[n % 20];
  return text;
}
