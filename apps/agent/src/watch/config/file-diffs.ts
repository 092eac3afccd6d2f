// Differences of the files of configuration trees, between two looks.
import type { Stats } from 'node:fs';
import type { Observed } from '../../observe/watcher.ts';
import { contentName, KeptContents } from './kept-contents.ts';
import { isComparable, maskedDiff } from './line-diff.ts';
import { type EntryState, readState } from './tree-file.ts';
import { hashOf } from './tree-reader.ts';

/** Differences that one look makes. */
const PER_LOOK = 50;
const EMPTY = Buffer.alloc(0);

/** Differences where the host's settings ask for them. */
export interface FileDiffs {
  /** Prepares a look after an observation. */
  begin(known: Observed): Promise<void>;
  /** Reports whether the content of a file must be read for a later difference. */
  needs(path: string, stats: Stats, hash: string): boolean;
  /** Keeps a content; it may be overwritten once this returns. */
  keep(path: string, stats: Stats, hash: string, content: Uint8Array): Promise<void>;
  /** The changed lines between two states; undefined where they cannot be shown. */
  between(path: string, from: EntryState | undefined, to: EntryState | undefined): Promise<string | undefined>;
}

/** Keeps nothing, and leaves what was kept. */
export const untouched: FileDiffs = {
  begin: async () => undefined,
  needs: () => false,
  keep: async () => undefined,
  between: async () => undefined,
};

/** Keeps nothing, and removes what was kept before the setting was turned off. */
export function noDiffs(dir: string): FileDiffs {
  const kept = new KeptContents(dir);
  return { ...untouched, begin: () => kept.removeAll() };
}

/** Keeps the contents of the last look in a folder, and compares with them. */
export function keptDiffs(dir: string, key: Buffer): FileDiffs {
  const kept = new KeptContents(dir);
  let left = 0;
  let last: Observed | undefined;

  /** Reads a content; a file that did not exist has an empty one. */
  async function contentOf(path: string, state: EntryState | undefined): Promise<Buffer | undefined> {
    if (state === undefined) return EMPTY;
    if (state.kind !== 'file') return undefined;
    const content = await kept.get(contentName(path, state.content));
    const isWhole =
      content !== undefined && hashOf(key, content, { size: content.length, mtimeMs: 0 }) === state.content;
    return isWhole ? content : undefined;
  }

  return {
    async begin(known) {
      left = PER_LOOK;
      if (known === last) return;
      last = known;
      const paths = Object.keys(known).filter((path) => path.startsWith('/'));
      await kept.keepOnly(new Set(paths.map((path) => contentName(path, readState(known[path] ?? '').content))));
    },
    needs: (path, { mode, size }, hash) => isComparable(path, mode, size) && kept.lacks(contentName(path, hash)),
    async keep(path, { mode, size }, hash, content) {
      if (isComparable(path, mode, size)) await kept.add(contentName(path, hash), content);
    },
    async between(path, from, to) {
      if (left <= 0) return undefined;
      left -= 1;
      const [before, after] = [await contentOf(path, from), await contentOf(path, to)];
      return before === undefined || after === undefined ? undefined : maskedDiff(path, before, after);
    },
  };
}
