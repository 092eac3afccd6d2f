// Last contents of the files of configuration trees, for the differences. They stay on the host, readable for the agent
// only. Each file is named by the hashes of its path and its content, so a crash leaves the old and the new one.
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DIR_MODE, FILE_MODE } from '../../files/durable-file.ts';

/** Bytes of all contents. Files beyond have no differences. */
const TOTAL_MAX_BYTES = 32 * 1024 * 1024;

/** Name of the content of a file. `hash` is its keyed hash. */
export const contentName = (path: string, hash: string): string =>
  `${createHash('sha256').update(path).digest('hex').slice(0, 24)}.${hash.slice(0, 24)}`;

export class KeptContents {
  readonly #dir: string;
  /** Bytes by name. */
  readonly #sizes = new Map<string, number>();
  #total = 0;
  #isRead = false;
  /** True where a content did not fit; then no others are tried until one is removed. */
  #isFull = false;

  constructor(dir: string) {
    this.#dir = join(dir, 'contents');
  }

  async removeAll(): Promise<void> {
    await rm(this.#dir, { recursive: true, force: true });
    this.#sizes.clear();
    this.#total = 0;
  }

  /** Removes the contents that are not among some names. */
  async keepOnly(names: ReadonlySet<string>): Promise<void> {
    await this.#read();
    for (const [name, size] of [...this.#sizes]) {
      if (names.has(name)) continue;
      await rm(join(this.#dir, name), { force: true });
      this.#sizes.delete(name);
      this.#total -= size;
      this.#isFull = false;
    }
  }

  /** Reports whether a content is missing and may be added. */
  lacks(name: string): boolean {
    return !this.#isFull && !this.#sizes.has(name);
  }

  /** Reads a content; undefined where it was not kept. After a crash it may be cut. */
  async get(name: string): Promise<Buffer | undefined> {
    return this.#sizes.has(name) ? readFile(join(this.#dir, name)).catch(() => undefined) : undefined;
  }

  /** Keeps a content where there is room. */
  async add(name: string, content: Uint8Array): Promise<void> {
    if (!this.lacks(name)) return;
    this.#isFull = this.#total + content.length > TOTAL_MAX_BYTES;
    if (this.#isFull) return;
    await writeFile(join(this.#dir, name), content, { mode: FILE_MODE });
    this.#sizes.set(name, content.length);
    this.#total += content.length;
  }

  async #read(): Promise<void> {
    if (this.#isRead) return;
    await mkdir(this.#dir, { recursive: true, mode: DIR_MODE });
    for (const name of await readdir(this.#dir)) {
      const { size } = await stat(join(this.#dir, name));
      this.#sizes.set(name, size);
      this.#total += size;
    }
    this.#isRead = true;
  }
}
