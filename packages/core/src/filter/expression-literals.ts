// Finds texts that every match of an expression contains.
import type { Expression } from './filter.ts';

const OPEN = String.raw`(?<open>\((?:\?(?::|P?<\w+>)|(?!\?)))`;
const SET = String.raw`\[\^?\]?(?:\[:\^?\w+:\]|\\[^]|[^\]\\])*\]|\\[dDwWsSbBAz]|[.^$]`;
const LITERAL = String.raw`\\(?<sign>[^\p{L}\p{N}_])|(?<plain>[^\\^$.|?*+()[\]{}])`;
const REPEAT = String.raw`(?<repeat>[?*+]\??|\{\d+(?:,\d*)?\}\??)?`;
/** One part of an expression. Inline flags, classes by name and codes of characters do not match. */
const PART = new RegExp(String.raw`(?:${OPEN}|(?<close>\))|(?<bar>\|)|${SET}|${LITERAL})${REPEAT}`, 'uy');
/** In any case RE2 also takes two signs that are not ASCII for s and k: U+017F and U+212A. */
const FOLDED_BEYOND_ASCII = /[sk\u0080-\u{10FFFF}]/iu;

/**
 * Lists texts that a match contains: of each inner list at least one. They are the runs of literal characters outside
 * of groups; alternatives give one list of their longest runs. With the flag `i` they match in any case.
 */
export function literalsOf({ source, flags }: Expression): string[][] {
  let runs = [''];
  const branches = [runs];
  let depth = 0;
  for (PART.lastIndex = 0; PART.lastIndex < source.length; ) {
    const part = PART.exec(source)?.groups;
    if (part === undefined) return [];
    if (part['open'] !== undefined) depth += 1;
    if (part['close'] !== undefined) depth -= 1;
    const literal = depth === 0 ? (part['sign'] ?? part['plain']) : undefined;
    const isOnce = part['repeat'] === undefined;
    const isFolded = flags === 'i' && literal !== undefined && FOLDED_BEYOND_ASCII.test(literal);
    if (part['bar'] !== undefined && depth === 0) {
      runs = [''];
      branches.push(runs);
    } else if (literal === undefined || isFolded || !(isOnce || part['repeat']?.startsWith('+'))) runs.push('');
    else {
      runs[runs.length - 1] += literal;
      // More of the same characters may follow before the next one.
      if (!isOnce) runs.push('');
    }
  }
  const lists = branches.length === 1 ? runs.map((run) => [run]) : [branches.map(longestOf)];
  return lists.filter((list) => !list.includes(''));
}

const longestOf = (runs: readonly string[]) => runs.reduce((best, run) => (run.length > best.length ? run : best), '');

/** Picks the list whose shortest text is longest, which probably excludes the most lines. */
export function mostSelective(lists: readonly string[][]): string[] | undefined {
  const shortest = (texts: readonly string[]) => Math.min(...texts.map((text) => text.length));
  return lists.toSorted((a, b) => shortest(b) - shortest(a))[0];
}
