// Opens followed files: not more than a process may have, and with a word to the log where one cannot be opened.
import type { Logger } from 'pino';
import type { Files } from './file-identity.ts';
import type { FollowedFile } from './followed-file.ts';

/** Files open at a time. */
const OPEN_MAX = 1_000;

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : 'unknown');

/** See the head of this file. */
export class FileOpener {
  readonly #files: Files;
  readonly #log: Logger;
  /** Paths of which it has been said that they cannot be opened. */
  readonly #told = new Set<string>();

  constructor(files: Files, log: Logger) {
    this.#files = files;
    this.#log = log;
  }

  /** Whether the file is open now. */
  async open(file: FollowedFile): Promise<boolean> {
    if (file.handle !== undefined) return true;
    const { path } = file.identity;
    if (this.#openFiles() >= OPEN_MAX) return this.#tell(path, 'too_many_files');
    try {
      const isOpen = await file.open();
      this.#told.delete(path);
      return isOpen;
    } catch (error) {
      return this.#tell(path, codeOf(error));
    }
  }

  #openFiles(): number {
    let count = 0;
    for (const { handle } of this.#files.values()) if (handle !== undefined) count += 1;
    return count;
  }

  #tell(path: string, code: string): false {
    if (!this.#told.has(path)) this.#log.warn({ file: path, code }, 'a file to follow cannot be opened');
    this.#told.add(path);
    return false;
  }
}
