// Counts the lines of each followed file whose form does not tell their time or level, for the owner of the file.
import { type AgentShipper, UNCLEAR_FILES_MAX, UNCLEAR_PATH_MAX } from '@quarterdeck/core';
import type { ReadLine } from './wire-line.ts';

/** A file in the report. */
type UnclearFile = NonNullable<AgentShipper['unclear_files']>[number];

/** Files that are counted at most; the one that was read the longest time ago is forgotten. */
const FILES_MAX = 1_000;

const newFile = (path: string): UnclearFile => ({ path, lines: 0, lines_without_time: 0, lines_without_level: 0 });

export class UnclearLines {
  readonly #files = new Map<string, UnclearFile>();
  /** The file of the last lines. Lines of one file come in a row. */
  #latest = newFile('');

  /** Counts lines of a file. */
  add(path: string, lines: readonly ReadLine[]): void {
    const file = this.#latest.path === path ? this.#latest : this.#moveToEnd(path);
    file.lines += lines.length;
    for (const { lacksTime, lacksLevel } of lines) {
      if (lacksTime) file.lines_without_time += 1;
      if (lacksLevel) file.lines_without_level += 1;
    }
  }

  #moveToEnd(path: string): UnclearFile {
    this.#latest = this.#files.get(path) ?? newFile(path);
    this.#files.delete(path);
    this.#files.set(path, this.#latest);
    const [oldest] = this.#files.keys();
    if (this.#files.size > FILES_MAX && oldest !== undefined) this.#files.delete(oldest);
    return this.#latest;
  }

  /** The files with the most such lines; nothing where there are none. A long path keeps its end. */
  report(): Pick<AgentShipper, 'unclear_files'> {
    const unclear = [...this.#files.values()]
      .filter((file) => weightOf(file) > 0)
      .sort((a, b) => weightOf(b) - weightOf(a))
      .slice(0, UNCLEAR_FILES_MAX)
      .map((file) => ({ ...file, path: file.path.slice(-UNCLEAR_PATH_MAX) }));
    return unclear.length === 0 ? {} : { unclear_files: unclear };
  }
}

const weightOf = (file: UnclearFile): number => file.lines_without_time + file.lines_without_level;
