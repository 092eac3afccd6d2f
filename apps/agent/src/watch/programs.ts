// Watches programs: version and build of the file, and of the processes that run it.
import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Exec } from '../facts/exec.ts';
import { openSafely, resolveSafely } from '../files/safe-open.ts';
import { cleanValue, compare } from '../observe/compare.ts';
import type { Watcher } from '../observe/watcher.ts';
import type { Command } from '../settings/config-values.ts';
import { stampOf, statusOf } from './file-stamp.ts';
import { findRunning, type RunningProcess } from './processes.ts';

export interface ProgramWatcherOptions {
  readonly exec: Exec;
  /** Programs by absolute path; behind a path the words that make it print its version. */
  readonly programs: readonly Command[];
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Monotonic clock in milliseconds. */
  readonly monotonicMs: () => number;
  /** Folder of the processes; `/proc` outside tests. */
  readonly proc?: string;
  /** User who must own a program that is run, beside root; only tests name one. */
  readonly owner?: number;
}

/** Usual places of nginx and OpenResty. */
export const PROGRAMS_DEFAULT: readonly Command[] = [
  ['/usr/sbin/nginx', '-V'],
  ['/usr/local/sbin/nginx', '-V'],
  ['/usr/local/nginx/sbin/nginx', '-V'],
  ['/usr/local/openresty/nginx/sbin/nginx', '-V'],
  ['/opt/nginx/sbin/nginx', '-V'],
];

/** A library may be replaced beneath an unchanged program, so its version is asked for again after this time. */
const VERSION_EVERY_MS = 5 * 60 * 1000;
const EXECUTABLE_MAX_BYTES = 512 * 1024 * 1024;
const HASHES_MAX = 100;
const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;

/** Start of a SHA-256, enough to tell builds apart. */
const shortHash = (hex: string): string => hex.slice(0, 16);

async function hashOf(opening: Promise<FileHandle>, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  await using file = await opening;
  const chunks = file.createReadStream({ end: EXECUTABLE_MAX_BYTES - 1, signal, autoClose: false });
  for await (const chunk of chunks) hash.update(chunk);
  return shortHash(hash.digest('hex'));
}

/**
 * Describes a version from the output of `-V` or the like. The first line names it. nginx also names its TLS library
 * and the options of its build, which are too long to show.
 */
export function describeVersion(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  const library = lines.find((line) => line.startsWith('built with '));
  const options = lines.find((line) => line.startsWith('configure arguments:'));
  const build = options === undefined ? undefined : createHash('sha256').update(options).digest('hex');
  return [
    cleanValue(lines.find((line) => line !== '') ?? '', 160).replace(/^nginx version: /, ''),
    ...(library === undefined ? [] : [cleanValue(library, 160)]),
    ...(build === undefined ? [] : [`build ${build.slice(0, 8)}`]),
  ].join(', ');
}

/** Real path of a program; undefined where it is missing, or a link to a file of others. */
function realPath(program: string): string | undefined {
  try {
    return resolveSafely(program);
  } catch {
    return undefined;
  }
}

/** Version of a program as last asked for. */
interface Asked {
  readonly stamp: string;
  readonly atMs: number;
  readonly version: string;
}

/** Creates the watcher of programs. */
export function programWatcher(options: ProgramWatcherOptions): Watcher {
  const { exec, programs, now, monotonicMs, proc = '/proc', owner = 0 } = options;
  /** Hashes by the stamp of the file. */
  const hashes = new Map<string, string>();
  const asked = new Map<string, Asked>();

  async function hashOnce(opens: () => Promise<FileHandle>, status: Stats, signal: AbortSignal): Promise<string> {
    const stamp = stampOf(status);
    const known = hashes.get(stamp);
    if (known !== undefined) return known;
    const hash = await hashOf(opens(), signal);
    if (hashes.size >= HASHES_MAX) hashes.clear();
    hashes.set(stamp, hash);
    return hash;
  }

  const isRoots = ({ uid }: Stats): boolean => uid === 0 || uid === owner;

  /** Reports whether a program may be run: only root can write it, or replace it in its folder or one above. */
  async function isSafe(path: string, file: Stats): Promise<boolean> {
    if (!isRoots(file) || (file.mode & WRITABLE_BY_OTHERS) !== 0) return false;
    for (let folder = dirname(path); ; folder = dirname(folder)) {
      const status = await statusOf(folder);
      // Others cannot replace files in a folder like `/tmp`.
      const isClosed =
        status !== undefined && ((status.mode & WRITABLE_BY_OTHERS) === 0 || (status.mode & STICKY) !== 0);
      if (!isClosed || !isRoots(status)) return false;
      if (folder === dirname(folder)) return true;
    }
  }

  /** Asks a program for its version; undefined when it cannot be asked now. */
  async function versionOf(path: string, words: readonly string[], status: Stats): Promise<string | undefined> {
    if (words.length === 0 || !(await isSafe(path, status))) return '';
    const stamp = stampOf(status);
    const last = asked.get(path);
    if (last?.stamp === stamp && monotonicMs() - last.atMs < VERSION_EVERY_MS) return last.version;
    const { ok, stdout, stderr } = await exec([path, ...words], { asNobody: true });
    const text = describeVersion(`${stdout}\n${stderr}`);
    // A command without any output was killed or not even started, which says nothing about the program.
    if (!ok && text === '') return undefined;
    const version = ok ? text : `fails: ${text}`;
    asked.set(path, { stamp, atMs: monotonicMs(), version });
    return version;
  }

  /**
   * Describes the running executables by their hashes, with a note where they are not the file. Without the right to
   * see them, the start of the process tells whether it runs the file.
   */
  async function describeRunning(
    running: readonly RunningProcess[],
    file: Stats,
    signal: AbortSignal,
  ): Promise<string> {
    const found = new Set<string>();
    for (const { exe, ageS } of running) {
      if (exe === undefined) {
        found.add(now() - ageS * 1000 < file.ctimeMs ? 'started before the file was written' : 'runs the file');
        continue;
      }
      const status = await statusOf(exe);
      if (status === undefined) continue;
      const isSame = status.dev === file.dev && status.ino === file.ino;
      // A process may end at any moment.
      const hash = await hashOnce(() => open(exe), status, signal).catch(() => undefined);
      if (hash !== undefined) found.add(isSame ? `sha256 ${hash}` : `sha256 ${hash}, not the file`);
    }
    return [...found].sort().join('; ');
  }

  async function findFiles(): Promise<Map<string, { words: readonly string[]; status: Stats }>> {
    const files = new Map<string, { words: readonly string[]; status: Stats }>();
    for (const [program, ...words] of programs) {
      const path = realPath(program);
      const status = path === undefined ? undefined : await statusOf(path);
      if (path !== undefined && status?.isFile()) files.set(path, { words, status });
    }
    return files;
  }

  return {
    name: 'programs',
    everyS: 60,
    async look(before, signal) {
      const files = await findFiles();
      const running = await findRunning(proc, new Set(files.keys()));
      const observed: Record<string, string> = {};
      const writtenMs = new Map<string, number>();
      for (const [path, { words, status }] of files) {
        const hash = `sha256 ${await hashOnce(() => openSafely(path), status, signal).catch(() => 'unreadable')}`;
        const version = await versionOf(path, words, status);
        const last = before?.[path]?.endsWith(hash) ? before[path] : undefined;
        const described = version === '' || version === undefined ? hash : `${version}, ${hash}`;
        observed[path] = version === undefined ? (last ?? hash) : described;
        observed[`${path} (running)`] = await describeRunning(running.get(path) ?? [], status, signal);
        // The file is the same where only a library was replaced.
        if (last === undefined) writtenMs.set(path, status.ctimeMs);
      }
      const timeOf = (field: string) => writtenMs.get(field);
      return { observed, changes: compare(before, observed, { kind: 'program', plural: 'programs', timeOf }) };
    },
  };
}
