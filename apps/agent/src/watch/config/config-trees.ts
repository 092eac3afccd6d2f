// Watches the files of configuration trees. Contents are compared by a keyed hash: a plain hash of a file with a short
// secret, such as a password file, can be guessed.
import { readlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from 'pino';
import type { Look, Observed, Watcher } from '../watcher.ts';
import { type FileDiffs, keptDiffs, noDiffs } from './file-diffs.ts';
import { type HashKey, loadKey } from './hash-key.ts';
import { PathLimit } from './path-limit.ts';
import { changesOf, type Difference } from './tree-changes.ts';
import { type EntryState, modeOf, readState, stampOf, writeState } from './tree-file.ts';
import { createReader, FILE_MAX_BYTES, hashOfStats, type ReadEntry } from './tree-reader.ts';
import { type TreeEntry, type TreeListing, walkTrees } from './tree-walk.ts';

/** Bounds of a look. */
const BOUNDS = { entries: 10_000, depth: 20 };
const EVERY_S = 15;

/** Keys of an observation beside paths, which begin with a slash. */
const KEY = 'key';
const TREES = 'trees';

/** Options of {@link createConfigTrees}. */
export interface ConfigTreesOptions {
  /** Absolute globs of files and folders. */
  readonly trees: readonly string[];
  /** True where the changed lines may leave this host, with secrets masked. */
  readonly withDiffs: boolean;
  /** Folder for the key, and for the last contents. */
  readonly dir: string;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly log: Logger;
}

/** Creates the watcher of configuration trees. */
export function createConfigTrees({ trees, withDiffs, dir, now, log }: ConfigTreesOptions): Watcher {
  const shownTrees = JSON.stringify(trees);
  const limit = new PathLimit();
  let opened: { readonly key: HashKey; readonly diffs: FileDiffs } | undefined;
  let wasCut = false;

  function warnOfCut(isCut: boolean): void {
    if (isCut && !wasCut) {
      log.warn({ entries: BOUNDS.entries }, 'the configuration trees are too large; a part of them is not watched');
    }
    wasCut = isCut;
  }

  async function openFolder() {
    const key = await loadKey(dir);
    return { key, diffs: withDiffs ? keptDiffs(dir, key.bytes) : noDiffs(dir) };
  }

  return {
    name: 'config',
    everyS: EVERY_S,
    async look(before, signal): Promise<Look> {
      opened ??= await openFolder();
      const { key, diffs } = opened;
      const known = before?.[KEY] === key.id ? before : undefined;
      await diffs.begin(known ?? {});
      const listing = await walkTrees(trees, BOUNDS, signal);
      warnOfCut(listing.isCut);
      const read = createReader(key.bytes);
      const observed: Record<string, string> = { [KEY]: key.id, [TREES]: shownTrees };
      for (const entry of listing.entries.values()) {
        signal.throwIfAborted();
        observed[entry.path] = writeState(
          await stateOf(entry, known?.[entry.path], { key: key.bytes, read, diffs, nowMs: now() }),
        );
      }
      if (known === undefined) return { observed, changes: [] };
      for (const path of pathsOf(known)) {
        if (observed[path] === undefined && isUnread(path, listing)) observed[path] = known[path] ?? '';
      }
      // With other trees, or only a part of them, a file that is there or missing is no change.
      const isComparable = !listing.isCut && known[TREES] === shownTrees;
      const found = differencesOf(known, observed, listing, isComparable);
      const differences = found.filter(({ path }) => limit.allows(path, now()));
      // A path that changes too often keeps its last reported state, with which a later look compares it.
      for (const { path } of found.filter((each) => !differences.includes(each))) restore(observed, path, known[path]);
      return { observed, changes: await changesOf(differences, diffs) };
    },
  };
}

const pathsOf = (observed: Observed): string[] => Object.keys(observed).filter((path) => path.startsWith('/'));

function restore(observed: Record<string, string>, path: string, state: string | undefined): void {
  if (state === undefined) delete observed[path];
  else observed[path] = state;
}

const isUnread = (path: string, { unread }: TreeListing): boolean =>
  unread.some((each) => path === each || path.startsWith(`${each}/`));

/** Means to find the state of an entry. */
interface StateTools {
  readonly key: Buffer;
  readonly read: ReadEntry;
  readonly diffs: FileDiffs;
  readonly nowMs: number;
}

async function stateOf(
  entry: TreeEntry,
  known: string | undefined,
  { key, read, diffs, nowMs }: StateTools,
): Promise<EntryState> {
  const { path, stats } = entry;
  const mode = modeOf(stats);
  const stamp = stampOf(stats, nowMs);
  if (stats.type === 'link') {
    return { kind: 'link', mode: '', stamp: '', content: await readlink(path).catch(() => '') };
  }
  if (stats.type === 'folder') return { kind: 'folder', mode, stamp: '', content: '' };
  if (stats.type === 'other') return { kind: 'other', mode, stamp: '', content: '' };
  const kind = stats.size > FILE_MAX_BYTES ? 'start' : 'file';
  const last = known === undefined ? undefined : readState(known);
  const isSame = last?.kind === kind && stamp !== '' && last.stamp === stamp;
  if (isSame && !diffs.needs(path, stats, last.content)) return { kind, mode, stamp, content: last.content };
  const file = await read(entry);
  // An unread file keeps its hash, and is read again at the next look.
  if (file === undefined) return { kind, mode, stamp: '', content: last?.content ?? '' };
  if (file === 'denied') return { kind: 'denied', mode, stamp: '', content: hashOfStats(key, stats) };
  await diffs.keep(path, stats, file.hash, file.content);
  return { kind, mode, stamp, content: file.hash };
}

/** Reports whether a difference of two states is one of the contents: the agent could read both times, or neither. */
function isComparable(from: EntryState, to: EntryState): boolean {
  const isUnknown = [from, to].some(({ kind, content }) => ['file', 'start'].includes(kind) && content === '');
  const isOneDenied = (from.kind === 'denied') !== (to.kind === 'denied');
  const areFiles = [from, to].every(({ kind }) => ['file', 'start', 'denied'].includes(kind));
  return !isUnknown && !(isOneDenied && areFiles);
}

/** Finds the differences of two observations, in the order of their paths. */
function differencesOf(
  known: Observed,
  observed: Observed,
  { entries }: TreeListing,
  withPresence: boolean,
): Difference[] {
  const differences: Difference[] = [];
  for (const path of pathsOf({ ...known, ...observed }).sort()) {
    const [last, next] = [known[path], observed[path]];
    if (last === next) continue;
    const [from, to] = [last, next].map((text) => (text === undefined ? undefined : readState(text)));
    // The removal of a file changes the time of its folder.
    const atMs =
      (to === undefined ? entries.get(dirname(path))?.stats.mtimeMs : undefined) ?? entries.get(path)?.stats.ctimeMs;
    if (from === undefined || to === undefined) {
      if (withPresence && (from ?? to)?.kind !== 'folder') differences.push({ path, from, to, atMs, of: 'content' });
      continue;
    }
    const isOther = isComparable(from, to) && (from.kind !== to.kind || from.content !== to.content);
    if (isOther) differences.push({ path, from, to, atMs, of: 'content' });
    if (from.mode !== to.mode) differences.push({ path, from, to, atMs, of: 'mode' });
  }
  return differences;
}
