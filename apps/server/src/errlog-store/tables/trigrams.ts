// Trigrams of a text, which the search index finds candidates by.
import { lowerAscii } from '@quarterdeck/core/plain';

/**
 * A text as the index has it, by whose trigrams it is found in any case of ASCII letters. Marks close it, so that a trigram
 * begins with each of its characters, the last ones too.
 */
export const indexedText = (log: string) => `${folded(log)}\u0001\u0001`;

/** FTS5 reads the two that are no characters as U+FFFD. */
const folded = (text: string) => lowerAscii(text).replaceAll(/[\ufffe\uffff]/g, '\ufffd');

/** The ends of the range of trigrams that begin with `q`; undefined where it is longer than two characters. */
export function trigramRange(q: string): { readonly from: string; readonly to: string } | undefined {
  if ([...q].length > 2) return undefined;
  return { from: folded(q), to: `${folded(q)}\u{10ffff}\u{10ffff}` };
}

/** Trigrams of a text that are thought about. */
const TRIGRAMS_MAX = 64;

/** The trigrams of `q`: first those that, side by side, cover it, then those between them. */
export function trigramsOf(q: string): string[] {
  const characters = [...folded(q)];
  const last = characters.length - 3;
  if (last < 0) return [];
  const [sideBySide, between]: [number[], number[]] = [[], []];
  for (let at = 0; at <= last; at += 1) (at % 3 === 0 || at === last ? sideBySide : between).push(at);
  const trigrams = new Set([...sideBySide, ...between].map((at) => characters.slice(at, at + 3).join('')));
  return [...trigrams].slice(0, TRIGRAMS_MAX);
}

/** Trigrams to ask the index for. */
export interface Trigrams {
  readonly asked: readonly string[];
  /** The part of all texts that has them, as far as a sample tells. */
  readonly share: number;
  /** How many texts a walk through the index passes, for each text that there is. */
  readonly load: number;
}

/** Trigrams that are asked for together: each costs a walk through all texts that have it. */
const ASKED_MAX = 4;
/** A further one is asked for where it leaves out a quarter of those that have the others; or where this few have it. */
const WORTH = 3 / 4;
const RARE = 1 / 50;

/**
 * Those of the trigrams of `q` that tell its texts from others best, going by a sample of texts in the form of the index:
 * the rarest, and what is rare among those that have it. None where `q` has none.
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
    // The first is the rarest of all; the next ones are those that are rare where the others are.
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

/** The query of FTS5 for all of some trigrams. */
export const matchQuery = (trigrams: readonly string[]) =>
  trigrams.map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(' AND ');
