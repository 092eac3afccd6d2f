// Watches the files of configuration trees. Contents are compared by a keyed hash: a plain hash of a file with a short
// secret, such as a password file, can be guessed.
import { createHmac } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readlink, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from 'pino';
import type { FoundChange, Look, Observed, Watcher } from '../watcher.ts';
import { type HashKey, loadKey } from './hash-key.ts';
import { type EntryState, modeOf, readState, stampOf, writeState } from './tree-file.ts';
import { type TreeEntry, type TreeListing, walkTrees } from './tree-walk.ts';

/** Bounds of a look. */
const BOUNDS = { entries: 10_000, depth: 20 };
/** Bytes of a file that are hashed. */
const FILE_MAX_BYTES = 1024 * 1024;
/** Bytes that one look reads. */
const LOOK_MAX_BYTES = 64 * 1024 * 1024;
/** Changes that a look reports one by one. */
const CHANGES_MAX = 200;
/** Characters of a hash that are shown. */
const SHOWN = 12;
const EVERY_S = 15;

/** Keys of an observation beside paths, which begin with a slash. */
const KEY = 'key';
const TREES = 'trees';

/** Options of {@link createConfigTrees}. */
export interface ConfigTreesOptions {
  /** Absolute globs of files and folders. */
  readonly trees: readonly string[];
  /** Folder for the key. */
  readonly dir: string;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly log: Logger;
}

/** Creates the watcher of configuration trees. */
export function createConfigTrees({ trees, dir, now, log }: ConfigTreesOptions): Watcher {
  const shownTrees = JSON.stringify(trees);
  let key: HashKey | undefined;
  let wasCut = false;

  function warnOfCut(isCut: boolean): void {
    if (isCut && !wasCut) {
      log.warn({ entries: BOUNDS.entries }, 'the configuration trees are too large; a part of them is not watched');
    }
    wasCut = isCut;
  }

  return {
    name: 'config',
    everyS: EVERY_S,
    async look(before, signal): Promise<Look> {
      key ??= await loadKey(dir);
      const known = before?.[KEY] === key.id ? before : undefined;
      const listing = await walkTrees(trees, BOUNDS, signal);
      warnOfCut(listing.isCut);
      const hash = createHasher(key.bytes, LOOK_MAX_BYTES);
      const observed: Record<string, string> = { [KEY]: key.id, [TREES]: shownTrees };
      for (const entry of listing.entries.values()) {
        signal.throwIfAborted();
        observed[entry.path] = writeState(await stateOf(entry, known?.[entry.path], hash, now()));
      }
      if (known === undefined) return { observed, changes: [] };
      for (const path of pathsOf(known)) {
        if (observed[path] === undefined && isUnread(path, listing)) observed[path] = known[path] ?? '';
      }
      // With other trees, or only a part of them, a file that is there or missing is no change.
      const isComparable = !listing.isCut && known[TREES] === shownTrees;
      return { observed, changes: bounded(changesOf(known, observed, listing, isComparable)) };
    },
  };
}

const pathsOf = (observed: Observed): string[] => Object.keys(observed).filter((path) => path.startsWith('/'));

const isUnread = (path: string, { unread }: TreeListing): boolean =>
  unread.some((folder) => path.startsWith(`${folder}/`));

/** Hashes a file; undefined where it cannot be read, or the look has read enough. */
type Hasher = (entry: TreeEntry) => Promise<string | undefined>;

function createHasher(key: Buffer, maxBytes: number): Hasher {
  let left = maxBytes;
  return async ({ path, stats }) => {
    if (left <= 0) return undefined;
    try {
      await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      const opened = await file.stat();
      // The file must be the listed one, also where a folder above it has become a link meanwhile.
      if (opened.ino !== stats.ino || opened.dev !== stats.dev || (await realpath(path)) !== path) return undefined;
      const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.min(opened.size, FILE_MAX_BYTES)), {
        position: 0,
      });
      left -= bytesRead;
      const hmac = createHmac('sha256', key).update(buffer.subarray(0, bytesRead));
      if (stats.size > FILE_MAX_BYTES) hmac.update(`${stats.size} ${stats.mtimeMs}`);
      return hmac.digest('hex');
    } catch {
      return undefined;
    }
  };
}

async function stateOf(entry: TreeEntry, known: string | undefined, hash: Hasher, nowMs: number): Promise<EntryState> {
  const { path, stats } = entry;
  const mode = modeOf(stats);
  const stamp = stampOf(stats, nowMs);
  if (stats.isSymbolicLink()) {
    return { kind: 'link', mode: '', stamp: '', content: await readlink(path).catch(() => '') };
  }
  if (stats.isDirectory()) return { kind: 'folder', mode, stamp: '', content: '' };
  if (!stats.isFile()) return { kind: 'other', mode, stamp: '', content: '' };
  const kind = stats.size > FILE_MAX_BYTES ? 'start' : 'file';
  const last = known === undefined ? undefined : readState(known);
  if (last?.kind === kind && stamp !== '' && last.stamp === stamp) return { kind, mode, stamp, content: last.content };
  const content = await hash(entry);
  // An unread file keeps its hash, and is read again at the next look.
  return content === undefined
    ? { kind, mode, stamp: '', content: last?.content ?? '' }
    : { kind, mode, stamp, content };
}

/** Describes a content. */
function shown({ kind, content }: EntryState): string {
  if (kind === 'link') return `link to ${content}`;
  if (kind === 'other') return 'special file';
  const hash = content === '' ? 'unread' : content.slice(0, SHOWN);
  return kind === 'start' ? `${hash} (size, time and first MiB)` : hash;
}

const ABSENT = 'absent';

/** Finds the differences of two observations. */
function changesOf(known: Observed, observed: Observed, listing: TreeListing, withPresence: boolean): FoundChange[] {
  const changes: FoundChange[] = [];
  for (const path of pathsOf({ ...known, ...observed }).sort()) {
    const [last, next] = [known[path], observed[path]];
    if (last === next) continue;
    const [from, to] = [last, next].map((text) => (text === undefined ? undefined : readState(text)));
    const add = (fromText: string, toText: string, atMs: number | undefined) =>
      changes.push({
        kind: 'config',
        field: path,
        from: fromText,
        to: toText,
        ...(atMs === undefined ? {} : { atMs }),
      });
    const changedAt = listing.entries.get(path)?.stats.ctimeMs;
    if (from === undefined || to === undefined) {
      if (!withPresence || (from ?? to)?.kind === 'folder') continue;
      if (to !== undefined) add(ABSENT, shown(to), changedAt);
      else if (from !== undefined) add(shown(from), ABSENT, listing.entries.get(dirname(path))?.stats.mtimeMs);
      continue;
    }
    const isRead = from.content !== '' && to.content !== '';
    if (from.kind !== to.kind || (isRead && from.content !== to.content)) add(shown(from), shown(to), changedAt);
    if (from.mode !== to.mode) add(`mode ${from.mode}`, `mode ${to.mode}`, changedAt);
  }
  return changes;
}

/** Sums up the changes beyond the bound: a tree that is replaced must not fill the history. */
function bounded(changes: readonly FoundChange[]): readonly FoundChange[] {
  const more = changes.slice(CHANGES_MAX);
  const [first] = more;
  if (first === undefined) return changes;
  const rest = { kind: 'config', field: dirname(first.field), from: '', to: `${more.length} more changes` } as const;
  return [...changes.slice(0, CHANGES_MAX), rest];
}
