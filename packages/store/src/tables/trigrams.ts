// Trigrams of a text, by which the search index finds candidates.
import { lowerAscii } from '@quarterdeck/core/plain';

/**
 * A text as it is indexed. It is folded to lower case, and closing marks make a trigram begin with each character,
 * the last ones too.
 */
export const indexedText = (log: string) => `${folded(log)}\u0001\u0001`;

/** Folds to lower case. FTS5 reads the two noncharacters as U+FFFD. */
const folded = (text: string) => lowerAscii(text).replaceAll(/[\ufffe\uffff]/g, '\ufffd');

/** The ends of the range of trigrams that begin with `q`; undefined if `q` is longer than two characters. */
export function trigramRange(q: string): { readonly from: string; readonly to: string } | undefined {
  if ([...q].length > 2) return undefined;
  return { from: folded(q), to: `${folded(q)}\u{10ffff}\u{10ffff}` };
}

/** Most trigrams of a text that are considered. */
const TRIGRAMS_MAX = 64;

/** Returns the trigrams of `q`: first those that cover it side by side, then those between them. */
export function trigramsOf(q: string): string[] {
  const characters = [...folded(q)];
  const last = characters.length - 3;
  if (last < 0) return [];
  const [sideBySide, between]: [number[], number[]] = [[], []];
  for (let at = 0; at <= last; at += 1) (at % 3 === 0 || at === last ? sideBySide : between).push(at);
  const trigrams = new Set([...sideBySide, ...between].map((at) => characters.slice(at, at + 3).join('')));
  return [...trigrams].slice(0, TRIGRAMS_MAX);
}

/** Trigrams that the index is asked for. */
export interface Trigrams {
  readonly asked: readonly string[];
  /** Share of all texts that have them, by the sample. */
  readonly share: number;
  /** Entries that a walk through the index passes, for each text there is. */
  readonly load: number;
}

/** Most trigrams in one query: each costs a walk through all texts that have it. */
const ASKED_MAX = 4;
/** Another trigram is added if it leaves out a quarter of the texts that have the others, or is this rare. */
const WORTH = 3 / 4;
const RARE = 1 / 50;

/**
 * Chooses the trigrams of `q` that are the most selective, by a sample of indexed texts: the rarest, and then those
 * that are rare among texts that have it.
 */
export function chooseTrigrams(q: string, sample: readonly string[]): Trigrams {
  const shareOf = (texts: readonly string[]) => texts.length / Math.max(1, sample.length);
  const having = (texts: readonly string[], trigram: string) => texts.filter((text) => text.includes(trigram));
  const candidates = trigramsOf(q)
    .map((trigram) => ({ trigram, share: shareOf(having(sample, trigram)) }))
    .sort((a, b) => a.share - b.share);
  const asked: typeof candidates = [];
  let left = sample;
  while (asked.length < ASKED_MAX) {
    const [rarest, ...others] = candidates.filter((candidate) => !asked.includes(candidate));
    if (rarest === undefined) break;
    let best = { next: rarest, left: having(left, rarest.trigram) };
    // The first is the rarest of all; the next ones are rare among texts that have the first.
    for (const next of asked.length === 0 || left.length === 0 ? [] : others) {
      const rest = having(left, next.trigram);
      if (rest.length < best.left.length) best = { next, left: rest };
    }
    if (asked.length > 0 && best.left.length >= left.length * WORTH && best.next.share > RARE) break;
    asked.push(best.next);
    left = best.left;
  }
  return {
    asked: asked.map(({ trigram }) => trigram),
    share: shareOf(left),
    load: asked.reduce((sum, { share }) => sum + share, 0),
  };
}

/** The FTS5 query for all of some trigrams. */
export const matchQuery = (trigrams: readonly string[]) =>
  trigrams.map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(' AND ');
