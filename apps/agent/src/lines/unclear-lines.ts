// Counts the lines of each followed file whose form does not tell their time or level, for the owner of the file.
import { type AgentShipper, UNCLEAR_FILES_MAX, UNCLEAR_PATH_MAX } from '@quarterdeck/core';
import type { ReadLine } from './wire-line.ts';

/** A file in the report. */
type UnclearFile = NonNullable<AgentShipper['unclear_files']>[number];

/** Files that are counted at most; the one that was read the longest time ago is forgotten. */
const FILES_MAX = 1_000;

/** See the head of this file. */
export class UnclearLines {
  readonly #files = new Map<string, UnclearFile>();

  /** Counts lines of a file. */
  add(path: string, lines: readonly ReadLine[]): void {
    const before = this.#files.get(path) ?? { path, lines: 0, lines_without_time: 0, lines_without_level: 0 };
    this.#files.delete(path);
    this.#files.set(path, {
      path,
      lines: before.lines + lines.length,
      lines_without_time: before.lines_without_time + lines.filter(({ lacksTime }) => lacksTime).length,
      lines_without_level: before.lines_without_level + lines.filter(({ lacksLevel }) => lacksLevel).length,
    });
    if (this.#files.size <= FILES_MAX) return;
    for (const oldest of this.#files.keys()) {
      this.#files.delete(oldest);
      return;
    }
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
