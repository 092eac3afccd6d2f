// Opens followed files within a limit, and logs once for each file that cannot be opened.
import type { Logger } from 'pino';
import { codeOf } from '../files/error-code.ts';
import type { FileGate } from './file-gate.ts';
import type { Files } from './file-identity.ts';
import type { FollowedFile } from './followed-file.ts';

/** Maximum number of open files. */
const OPEN_MAX = 1_000;

export class FileOpener {
  readonly #files: Files;
  readonly #gate: FileGate;
  readonly #log: Logger;
  /** Paths whose failure was logged. */
  readonly #logged = new Set<string>();

  constructor(files: Files, gate: FileGate, log: Logger) {
    this.#files = files;
    this.#gate = gate;
    this.#log = log;
  }

  /** Opens the file if necessary; true when it is open. */
  async open(file: FollowedFile): Promise<boolean> {
    if (file.handle !== undefined) return true;
    const { path } = file.identity;
    if (this.#openFiles() >= OPEN_MAX) return this.#logOnce(path, 'too_many_files');
    try {
      const isOpen = await file.open(this.#gate);
      this.#logged.delete(path);
      return isOpen;
    } catch (error) {
      return this.#logOnce(path, codeOf(error));
    }
  }

  #openFiles(): number {
    let count = 0;
    for (const { handle } of this.#files.values()) if (handle !== undefined) count += 1;
    return count;
  }

  #logOnce(path: string, code: string): false {
    if (!this.#logged.has(path)) this.#log.warn({ file: path, code }, 'cannot open a file to follow');
    this.#logged.add(path);
    return false;
  }
}
