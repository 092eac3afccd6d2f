// Decides which files may be followed. A name in a folder of an application may lead anywhere, and an agent of root may
// read everything.
import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { Logger } from 'pino';
import {
  checkSafely,
  type OpenRules,
  openSafely,
  type RefusalReason,
  RefusedFile,
  resolveSafely,
} from '../files/safe-open.ts';

/** Milliseconds after which a refused file is checked again. */
const REFUSED_MS = 60_000;
/** Maximum number of paths whose verdict is known. */
const KNOWN_MAX = 10_000;
/** Refused files that are logged one by one. */
const LOGGED_MAX = 100;

const MAGIC = /[*?[\]{}]/;

/** Returns the folder of a glob above its first wildcard, or above the name of its file. */
function fixedPartOf(pattern: string): string {
  const folders = pattern.split('/').slice(0, -1);
  const first = folders.findIndex((part) => MAGIC.test(part));
  return folders.slice(0, first < 0 ? undefined : first).join('/') || '/';
}

interface Verdict {
  readonly key: string;
  readonly refusal: RefusalReason | undefined;
  readonly untilMs: number;
}

export interface FileGateOptions {
  /** Absolute globs of the followed files. Links may lead to the folders above their wildcards. */
  readonly globs: readonly string[];
  /** Further folders to which links may lead. */
  readonly linkRoots: readonly string[];
  readonly log: Logger;
}

export class FileGate {
  readonly #folders: readonly string[];
  readonly #rules: OpenRules = { linkRoots: () => this.#folders.flatMap(realPath) };
  readonly #log: Logger;
  readonly #verdicts = new Map<string, Verdict>();
  readonly #logged = new Set<string>();
  #refused = new Set<string>();

  constructor({ globs, linkRoots, log }: FileGateOptions) {
    this.#folders = [...new Set([...globs.map(fixedPartOf), ...linkRoots])];
    this.#log = log;
  }

  /** Files that were refused since {@link FileGate.startCount}. */
  get refused(): number {
    return this.#refused.size;
  }

  /** Begins to count refused files anew. */
  startCount(): void {
    this.#refused = new Set();
  }

  /**
   * Reports whether a file may be followed. The verdict is kept for the same path and file; `open` decides again. A
   * refused file is logged once.
   *
   * @param stats status of what the path leads to
   */
  admits(path: string, key: string, stats: Pick<Stats, 'isDirectory'>): boolean {
    if (stats.isDirectory()) return false;
    const known = this.#verdicts.get(path);
    const nowMs = performance.now();
    const isKnown = known?.key === key && nowMs < known.untilMs;
    const verdict = isKnown ? known : this.#judge(path, key, nowMs);
    if (verdict?.refusal !== undefined) this.#refuse(path, verdict.refusal);
    return verdict !== undefined && verdict.refusal === undefined;
  }

  /**
   * Opens a file for reading.
   *
   * @throws RefusedFile, or the error of the system
   */
  open(path: string): Promise<FileHandle> {
    return openSafely(path, this.#rules);
  }

  /** Opens a file for the time of `use` and returns its result; undefined when the file cannot be opened or read. */
  async withFile<T>(path: string, use: (file: FileHandle) => Promise<T>): Promise<T | undefined> {
    try {
      await using file = await this.open(path);
      return await use(file);
    } catch {
      return undefined;
    }
  }

  /** Judges a file; undefined when it is gone. */
  #judge(path: string, key: string, nowMs: number): Verdict | undefined {
    if (this.#verdicts.size >= KNOWN_MAX) this.#verdicts.clear();
    try {
      checkSafely(path, this.#rules);
    } catch (error) {
      // A file that cannot be opened fails at its opening, which says why.
      if (!(error instanceof RefusedFile)) return { key, refusal: undefined, untilMs: nowMs };
      const refused = { key, refusal: error.code, untilMs: nowMs + REFUSED_MS };
      this.#verdicts.set(path, refused);
      return refused;
    }
    const admitted = { key, refusal: undefined, untilMs: Number.POSITIVE_INFINITY };
    this.#verdicts.set(path, admitted);
    return admitted;
  }

  #refuse(path: string, reason: RefusalReason): void {
    this.#refused.add(path);
    if (this.#logged.has(path) || this.#logged.size >= LOGGED_MAX) return;
    this.#logged.add(path);
    this.#log.warn({ file: path, reason }, 'a file to follow is refused');
  }
}

/** Real path of a folder to which links may lead; none while it does not exist. */
function realPath(folder: string): string[] {
  try {
    return [resolveSafely(folder)];
  } catch {
    return [];
  }
}
