// Synthetic error-log lines like those of a fleet of gateways: a few errors make up most of the lines.

/** A small, fast, seeded generator (mulberry32), so that every run stores the same lines. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const WORDS = 'alpha beta gamma delta orion vega lyra rigel cache auth billing search upload media edge core'.split(
  ' ',
);

/** Letters only: a number would count as a variable part, and all texts would be one group. */
function letters(value: number): string {
  let rest = value;
  let text = '';
  do {
    text = String.fromCharCode(97 + (rest % 26)) + text;
    rest = Math.floor(rest / 26);
  } while (rest > 0);
  return text;
}

/** Text of group number `n`; different groups have different fingerprints. */
export const groupText = (n: number, client = '10.0.0.1'): string =>
  `upstream ${WORDS[n % WORDS.length]}-${letters(n)} timed out (110: Connection timed out) while reading response header from upstream, client: ${client}, server: ${WORDS[(n >> 4) % WORDS.length]}.example.com, request: "GET /v1/items HTTP/1.1"`;

export const clientAddress = (random: () => number): string =>
  `10.${Math.floor(random() * 250)}.${Math.floor(random() * 250)}.7`;

const LEVEL_SHARE = [4, 4, 4, 4, 4, 4, 5, 5, 5, 6, 7, 7, 3, 2, 8];

/** Level of group number `n`. */
export const groupLevel = (n: number): number => LEVEL_SHARE[(n * 7919) % LEVEL_SHARE.length] ?? 4;

/** Lines per batch. */
export const BATCH_LINES = 500;

/** Creates bodies of batches whose lines fall on `groups` groups, most of them on a few. */
export function batches(count: number, groups: number, seed: number): string[] {
  const random = randomFrom(seed);
  return Array.from({ length: count }, () =>
    JSON.stringify(
      Array.from({ length: BATCH_LINES }, () => {
        const n = Math.floor(groups * random() ** 4);
        return { level: groupLevel(n), log: groupText(n, clientAddress(random)) };
      }),
    ),
  );
}
