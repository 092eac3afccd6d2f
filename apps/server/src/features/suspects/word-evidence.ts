// Weighs whether the text of an error has to do with a changed thing, in natural logarithms of likelihood ratios. A
// word proves less the more of the other changes have it too.
import type { AgentEventKind } from '@quarterdeck/core';
import type { Change } from './history-lines.ts';
import { type TextWords, textWords, wordsIn } from './text-words.ts';
import { topicsOfChange, topicsOfError } from './topics.ts';

/** A changed thing, and its changed lines as far as they are known. */
export interface ChangedThing extends Pick<Change, 'kind' | 'field' | 'name'> {
  /** Values before and after, where they are not those of each host. */
  readonly values: readonly string[];
  /** Changed lines of a file, as `diff -u` shows them; empty = not known. */
  readonly diff: string;
}

/**
 * Ways in which a text may have to do with a changed thing, the most specific first: how often the text does if the
 * change is the cause, and how often if it is not. Before other changes are seen, the latter counts as `SEEN` of them.
 */
const WAYS = {
  /** The text has the path of the thing, a path within it, or its name. */
  named: { cause: 0.5, other: 0.01 },
  /** The text has a path beside the thing, an address or a name of its values or changed lines. */
  near: { cause: 0.4, other: 0.025 },
  /** They have a word in common. */
  word: { cause: 0.4, other: 0.05 },
  /** The error is of a sort that such changes cause. */
  topic: { cause: 0.6, other: 0.15 },
} as const;
const SEEN = 10;
/** Most evidence: many words prove no more than that a change is related to the error. */
const MOST = 4;
const MOST_OF_WORDS = 3;
/** A text that says what failed, and nothing of the changed thing. */
const UNRELATED = -0.7;
/** ... where such a change rarely causes another sort of error. */
const OTHER_SORT = -1.5;
/** Changes whose effects do not bear their names. */
const NAMELESS: ReadonlySet<AgentEventKind> = new Set([
  'registered',
  'restored',
  'online',
  'offline',
  'restarted',
  'rebooted',
  'cloned',
  'changed',
  'settings',
  'labels',
  'operation',
  'maintenance',
]);

/** A text, read once for many changes. */
export interface ErrorWords extends TextWords {
  readonly topics: readonly number[];
}

export function errorWords(text: string): ErrorWords {
  return { ...textWords(text), topics: topicsOfError(text) };
}

/** The marks of what a text and a thing have in common, by the way: `word:report`. */
interface Relation {
  readonly marks: ReadonlyMap<string, keyof typeof WAYS>;
  readonly isNameless: boolean;
  readonly isOfOtherSort: boolean;
}

export function evidenceOfWords(error: ErrorWords, things: readonly ChangedThing[]): number[] {
  const relations = things.map((thing) => relationOf(error, thing));
  const counts = new Map<string, number>();
  for (const { marks } of relations) {
    for (const mark of marks.keys()) counts.set(mark, (counts.get(mark) ?? 0) + 1);
  }
  const others = things.length - 1;
  const isTelling = error.topics.length > 0 || counts.size > 0;
  return relations.map(({ marks, isNameless, isOfOtherSort }) => {
    if (marks.size === 0) {
      if (!isTelling || isNameless) return 0;
      return isOfOtherSort ? OTHER_SORT : UNRELATED;
    }
    const sums = { named: 0, near: 0, word: 0, topic: 0 };
    for (const [mark, way] of marks) {
      const { cause, other } = WAYS[way];
      const rate = ((counts.get(mark) ?? 1) - 1 + other * SEEN) / (others + SEEN);
      const evidence = Math.max(0, Math.log(cause / rate));
      sums[way] = way === 'word' ? sums[way] + evidence : Math.max(sums[way], evidence);
    }
    const { named, near, word, topic } = sums;
    return Math.min(MOST, Math.max(named, near, Math.min(word, MOST_OF_WORDS)) + topic);
  });
}

const EXTENSION = /\.[a-z]\w*$/;

function relationOf(error: ErrorWords, thing: ChangedThing): Relation {
  const { kind, name } = thing;
  const isNameless = NAMELESS.has(kind);
  const marks = new Map<string, keyof typeof WAYS>();
  if (isNameless) return { marks, isNameless, isOfOtherSort: false };
  // Agents note a state of a thing beside the thing: `/var (inodes)`.
  const field = thing.field.replace(/ \([a-z]+\)$/, '');
  const [before, after] = sidesOf(thing.diff);
  const { topics, isOnly } = topicsOfChange(kind, [name, field, before, after].join('\n'));
  for (const topic of topics) if (error.topics.includes(topic)) marks.set(`topic:${topic}`, 'topic');
  const isOfOtherSort = isOnly && marks.size === 0;
  // A path on a disk has to do with the space of the disk only where space is missing.
  if (kind === 'disk' && isOfOtherSort) return { marks, isNameless, isOfOtherSort };
  const base = field.slice(field.lastIndexOf('/') + 1).toLowerCase();
  if (isPathNamed(error, kind, field) || error.names.has(base)) marks.set('named', 'named');
  else if (isBeside(error, field)) marks.set('near', 'near');
  for (const word of wordsIn(`${name} ${kind === 'change' ? '' : base.replace(EXTENSION, '')}`)) {
    if (error.words.has(word)) marks.set(`word:${word}`, 'word');
  }
  const [namesBefore, namesAfter] = [namesIn([before]), namesIn([after])];
  const names = new Set([...namesIn(thing.values), ...namesBefore, ...namesAfter]);
  for (const value of names) {
    const isKept = namesBefore.has(value) && namesAfter.has(value);
    if (error.names.has(value) && !isKept) marks.set(`near:${value}`, 'near');
  }
  return { marks, isNameless, isOfOtherSort };
}

/** Folders so far up are parts of most paths. */
const DEPTH_MIN = 2;
const depthOf = (path: string) => path.split('/').filter((part) => part !== '').length;

/** Tells whether a text has the path of a thing, or one within it. Only the disk of a path can be a folder far up. */
function isPathNamed({ paths }: ErrorWords, kind: AgentEventKind, field: string): boolean {
  if (!field.startsWith('/') || (depthOf(field) < DEPTH_MIN && kind !== 'disk')) return false;
  const within = `${field.replace(/\/$/, '')}/`;
  return [...paths].some((path) => path === field || path.startsWith(within));
}

/** Tells whether a text has the folder of a thing. */
function isBeside({ paths }: ErrorWords, field: string): boolean {
  const folder = field.slice(0, field.lastIndexOf('/'));
  return depthOf(folder) >= DEPTH_MIN && (paths.has(folder) || paths.has(`${folder}/`));
}

const namesIn = (texts: readonly string[]) => new Set(texts.flatMap((text) => [...textWords(text).names]));

/** Characters of changed lines that count. */
const DIFF_MAX = 4_000;

/** Returns the lines before and after a change. */
function sidesOf(diff: string): [before: string, after: string] {
  const lines = diff.slice(0, DIFF_MAX).split('\n');
  const sideOf = (sign: string) => lines.filter((line) => line.startsWith(sign)).map((line) => line.slice(1));
  return [sideOf('-').join('\n'), sideOf('+').join('\n')];
}
