// Watches the files of configuration trees. Contents are compared by a keyed hash: a plain hash of a file with a short
// secret, such as a password file, can be guessed.
import { type Stats, statSync } from 'node:fs';
import { readlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from 'pino';
import type { Look, Observed, Watcher } from '../../observe/watcher.ts';
import { type FileDiffs, keptDiffs, noDiffs, untouched } from './file-diffs.ts';
import { type HashKey, loadKey, saveKey } from './hash-key.ts';
import { changesOf, type Difference } from './tree-changes.ts';
import { type EntryKind, type EntryState, modeOf, readState, stampOf, writeState } from './tree-file.ts';
import { createReader, FILE_MAX_BYTES, hashOfStats, type ReadEntry } from './tree-reader.ts';
import { TreeWalk, type Walked } from './tree-walk.ts';

const PER_HOUR = 10;
const HOUR_MS = 3_600_000;

/** Limits the reports of paths that change all the time, such as a counter, hour by hour. */
class PathLimit {
  #counts = new Map<string, number>();
  #sinceMs = Number.NEGATIVE_INFINITY;

  /** Counts a report; false where the path has had enough of them in this hour. */
  allows(path: string, nowMs: number): boolean {
    if (Math.abs(nowMs - this.#sinceMs) >= HOUR_MS) {
      this.#counts = new Map();
      this.#sinceMs = nowMs;
    }
    const count = (this.#counts.get(path) ?? 0) + 1;
    this.#counts.set(path, count);
    return count <= PER_HOUR;
  }
}

/** Bounds of a look. */
const BOUNDS = { entries: 5_000, depth: 20 };
const EVERY_S = 15;

/** Keys of an observation beside paths, which begin with a slash. */
const KEY = 'key';
const TREES = 'trees';

export interface ConfigTreesOptions {
  /** Absolute globs of files and folders. */
  readonly trees: readonly string[];
  /** True where the changed lines may leave this host, with secrets masked. */
  readonly withDiffs: boolean;
  /** Folder for the key, and for the last contents. */
  readonly dir: string;
  /** Key of the installation; undefined while no server has handed it out. */
  readonly installationKey: () => HashKey | undefined;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly log: Logger;
}

/** Creates the watcher of configuration trees. */
export function createConfigTrees(options: ConfigTreesOptions): Watcher {
  const { trees, withDiffs, dir, installationKey, now, log } = options;
  const shownTrees = JSON.stringify(trees);
  const limit = new PathLimit();
  const walk = new TreeWalk(trees, BOUNDS);
  let opened: Opened | undefined;
  const warned = new Set<string>();
  let wasCut = false;

  function warnOfCut(isCut: boolean): void {
    if (isCut && !wasCut) {
      log.warn({ entries: BOUNDS.entries }, 'the configuration trees are too large; a part of them is not watched');
    }
    wasCut = isCut;
  }

  function warnOfRefused(paths: readonly string[]): void {
    for (const path of paths) {
      if (!warned.has(path)) log.warn({ path }, 'a configuration tree is a link to files of others; it is not watched');
      warned.add(path);
    }
  }

  const openWith = (key: HashKey): Opened => ({
    key,
    diffs: withDiffs ? keptDiffs(dir, key.bytes) : noDiffs(dir),
  });

  /** Opens the folder with the key of an observation; where there is none, with the key of the installation. */
  async function openFor(before: Observed | undefined): Promise<Opened> {
    const common = installationKey();
    if (common !== undefined && opened?.key.id !== common.id && [undefined, common.id].includes(before?.[KEY])) {
      await saveKey(dir, common);
      return openWith(common);
    }
    return opened ?? openWith(await loadKey(dir));
  }

  /**
   * Hashes all files under the key of the installation, between two looks under the old one. Where both saw the same,
   * nothing was missed. The next look keeps the contents again, under their new names.
   */
  async function changeKey(old: Opened, seen: Observed, key: HashKey, signal: AbortSignal): Promise<Look> {
    const { observed } = await lookWith({ key, diffs: untouched }, undefined, signal);
    const again = await lookWith(old, seen, signal);
    return again.observed === seen ? { observed, changes: [] } : again;
  }

  async function lookWith({ key, diffs }: Opened, before: Observed | undefined, signal: AbortSignal): Promise<Look> {
    const known = before?.[KEY] === key.id ? before : undefined;
    await diffs.begin(known ?? NOTHING);
    const tools = { key: key.bytes, read: createReader(key.bytes), diffs, nowMs: now() };
    const news: News[] = [];
    const walked = await walk.walk((path, stats) => {
      const last = known?.[path];
      return isUnchanged(path, stats, last, tools) ? undefined : visit(path, stats, last, tools, news);
    }, signal);
    warnOfCut(walked.isCut);
    warnOfRefused(walked.refused);
    if (known === undefined) return { observed: withNews({ [KEY]: key.id, [TREES]: shownTrees }, news), changes: [] };
    news.push(...removedFrom(known, walk, walked));
    if (news.length === 0 && known[TREES] === shownTrees) return { observed: known, changes: [] };
    // A path that changes too often keeps its last reported state, with which a later look compares it.
    const allowed = news.filter(({ path, state }) => !isReported(known[path], state) || limit.allows(path, now()));
    // With other trees, or only a part of them, a file that is there or missing is no change.
    const withPresence = !walked.isCut && known[TREES] === shownTrees;
    const differences = allowed.flatMap((each) => differencesOf(known[each.path], each, withPresence));
    const observed = withNews({ ...known, [TREES]: shownTrees }, allowed);
    const label = key.id === installationKey()?.id ? labelOf(key) : '';
    return { observed, changes: await changesOf(differences.sort(byPath), diffs, label) };
  }

  return {
    name: 'config',
    everyS: EVERY_S,
    async look(before, signal): Promise<Look> {
      opened = await openFor(before);
      const look = await lookWith(opened, before, signal);
      const common = installationKey();
      const isDue = common !== undefined && common.id !== opened.key.id && look.observed === before;
      return isDue ? changeKey(opened, look.observed, common, signal) : look;
    },
  };
}

/** The key in use, and the contents that were kept under it. */
interface Opened {
  readonly key: HashKey;
  readonly diffs: FileDiffs;
}

/** Stands before hashes under the key of an installation: those with equal labels can be compared. */
const labelOf = ({ id }: HashKey): string => `${id.slice(0, 6)}:`;

const NOTHING: Observed = {};

/** A new state of a path; undefined where it was removed. */
interface News {
  readonly path: string;
  readonly state: string | undefined;
  /** Unix milliseconds, by the host's file system. */
  readonly atMs: number | undefined;
}

function withNews(observed: Record<string, string>, news: readonly News[]): Observed {
  for (const { path, state } of news) {
    if (state === undefined) delete observed[path];
    else observed[path] = state;
  }
  return observed;
}

const byPath = (a: Difference, b: Difference): number => {
  if (a.path === b.path) return 0;
  return a.path < b.path ? -1 : 1;
};

/** Paths that were there at the last look. The removal of a file changes the time of its folder. */
function removedFrom(known: Observed, walk: TreeWalk, { unread }: Walked): News[] {
  const isUnread = (path: string) => unread.some((each) => path === each || path.startsWith(`${each}/`));
  return Object.keys(known)
    .filter((path) => path.startsWith('/') && !walk.saw(path) && !isUnread(path))
    .map((path) => {
      const atMs = walk.saw(dirname(path)) ? statSync(dirname(path), { throwIfNoEntry: false })?.mtimeMs : undefined;
      return { path, state: undefined, atMs };
    });
}

/** Means to find the state of an entry. */
interface StateTools {
  readonly key: Buffer;
  readonly read: ReadEntry;
  readonly diffs: FileDiffs;
  readonly nowMs: number;
}

const kindOf = ({ size }: Stats): EntryKind => (size > FILE_MAX_BYTES ? 'start' : 'file');

/** Reports whether a path has its last state, which most have. */
function isUnchanged(path: string, stats: Stats, last: string | undefined, { diffs, nowMs }: StateTools): boolean {
  if (last === undefined || stats.isSymbolicLink()) return false;
  const mode = modeOf(stats);
  if (stats.isDirectory()) return last === writeState({ kind: 'folder', mode, stamp: '', content: '' });
  const stamp = stampOf(stats, nowMs);
  const start = writeState({ kind: kindOf(stats), mode, stamp, content: '' });
  return stamp !== '' && last.startsWith(start) && !diffs.needs(path, stats, last.slice(start.length));
}

async function visit(
  path: string,
  stats: Stats,
  last: string | undefined,
  tools: StateTools,
  news: News[],
): Promise<void> {
  const state = writeState(await stateOf(path, stats, last, tools));
  if (state !== last) news.push({ path, state, atMs: stats.ctimeMs });
}

async function stateOf(
  path: string,
  stats: Stats,
  last: string | undefined,
  { key, read, diffs, nowMs }: StateTools,
): Promise<EntryState> {
  const mode = modeOf(stats);
  if (stats.isSymbolicLink()) {
    return { kind: 'link', mode: '', stamp: '', content: await readlink(path).catch(() => '') };
  }
  if (stats.isDirectory()) return { kind: 'folder', mode, stamp: '', content: '' };
  if (!stats.isFile()) return { kind: 'other', mode, stamp: '', content: '' };
  const kind = kindOf(stats);
  const file = await read(path, stats);
  // An unread file keeps its hash, and is read again at the next look.
  if (file === undefined) {
    return { kind, mode, stamp: '', content: last === undefined ? '' : readState(last).content };
  }
  if (file === 'denied') return { kind: 'denied', mode, stamp: '', content: hashOfStats(key, stats) };
  await diffs.keep(path, stats, file.hash, file.content);
  return { kind, mode, stamp: stampOf(stats, nowMs), content: file.hash };
}

/** Reports whether a difference of two states is one of the contents: the agent could read both times, or neither. */
function isComparable(from: EntryState, to: EntryState): boolean {
  const isUnknown = [from, to].some(({ kind, content }) => ['file', 'start'].includes(kind) && content === '');
  const isOneDenied = (from.kind === 'denied') !== (to.kind === 'denied');
  const areFiles = [from, to].every(({ kind }) => ['file', 'start', 'denied'].includes(kind));
  return !isUnknown && !(isOneDenied && areFiles);
}

/** Reports whether two states differ in more than their stamps. */
function isReported(last: string | undefined, next: string | undefined): boolean {
  if (last === undefined || next === undefined) return true;
  const [from, to] = [readState(last), readState(next)];
  return from.mode !== to.mode || isOther(from, to);
}

const isOther = (from: EntryState, to: EntryState): boolean =>
  isComparable(from, to) && (from.kind !== to.kind || from.content !== to.content);

/** Differences of a path from its last state. */
function differencesOf(last: string | undefined, { path, state, atMs }: News, withPresence: boolean): Difference[] {
  const [from, to] = [last, state].map((text) => (text === undefined ? undefined : readState(text)));
  const content = { path, from, to, atMs, of: 'content' } as const;
  if (from === undefined || to === undefined) {
    return withPresence && (from ?? to)?.kind !== 'folder' ? [content] : [];
  }
  return [
    ...(isOther(from, to) ? [content] : []),
    ...(from.mode === to.mode ? [] : [{ ...content, of: 'mode' } as const]),
  ];
}
