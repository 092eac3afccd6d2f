// A disk in memory that distinguishes written from synced. A loss of power keeps what was synced, and a part of the
// rest that the seed chooses: a prefix of the changes of names, and a prefix of each content.
import { basename } from 'node:path';
import type { Disk, DiskFile } from '../../apps/agent/src/files/disk.ts';
import type { Random } from './random.ts';

/** Thrown by every call after the process was killed. */
export class Killed extends Error {}

interface Content {
  bytes: Buffer;
  synced: Buffer;
}
type Names = Map<string, Content>;
type Change = (names: Names) => void;

/** One folder. */
export class MemoryDisk implements Disk {
  readonly #random: Random;
  #names: Names = new Map();
  #syncedNames: Names = new Map();
  #changes: Change[] = [];
  readonly #onKill: () => void;
  /** Calls until the process is killed. */
  #left = Number.POSITIVE_INFINITY;
  #isDead = false;
  isFull = false;

  /** An empty disk. `onKill` is called at the call that does not happen. */
  constructor(random: Random, onKill: () => void) {
    this.#random = random;
    this.#onKill = onKill;
  }

  /** Kills the process before its `calls`th call from now. */
  killAfter(calls: number): void {
    this.#left = calls;
  }

  /** Kills the process now. */
  kill(): void {
    this.#isDead = true;
    this.#onKill();
  }

  /** Starts the next process. The disk keeps everything after a kill, and what was synced after a loss of power. */
  restart(hasLostPower: boolean): void {
    this.#left = Number.POSITIVE_INFINITY;
    this.#isDead = false;
    this.isFull = false;
    if (!hasLostPower) return;
    const names = new Map(this.#syncedNames);
    for (const change of this.#changes.slice(0, this.#random.upTo(this.#changes.length))) change(names);
    for (const content of new Set(names.values())) {
      if (!content.bytes.equals(content.synced)) {
        content.bytes = content.bytes.subarray(0, this.#random.upTo(content.bytes.length));
        content.synced = content.bytes;
      }
    }
    this.#names = names;
    this.#syncedNames = new Map(names);
    this.#changes = [];
  }

  async mkdir(): Promise<void> {
    this.#call();
  }

  async readdir(): Promise<string[]> {
    this.#call();
    return [...this.#names.keys()];
  }

  async readFile(path: string): Promise<Buffer> {
    this.#call();
    return this.#content(path).bytes;
  }

  async rename(from: string, to: string): Promise<void> {
    this.#call();
    const content = this.#content(from);
    this.#change((names) => {
      names.delete(basename(from));
      names.set(basename(to), content);
    });
  }

  async rm(path: string): Promise<void> {
    this.#call();
    if (this.#names.has(basename(path))) this.#change((names) => names.delete(basename(path)));
  }

  async open(path: string, flags: 'r' | 'wx'): Promise<DiskFile> {
    this.#call();
    if (flags === 'r') return this.#file(undefined);
    if (this.#names.has(basename(path))) throw new Error('EEXIST');
    const content: Content = { bytes: Buffer.alloc(0), synced: Buffer.alloc(0) };
    this.#change((names) => names.set(basename(path), content));
    return this.#file(content);
  }

  /** A file, or without a content the folder. */
  #file(content: Content | undefined): DiskFile {
    return {
      writeFile: async (bytes) => {
        this.#call();
        if (content === undefined) throw new Error('EISDIR');
        const whole = Buffer.from(bytes);
        content.bytes = this.isFull ? whole.subarray(0, this.#random.upTo(whole.length - 1)) : whole;
        if (this.isFull) throw new Error('ENOSPC');
      },
      utimes: async () => this.#call(),
      sync: async () => {
        this.#call();
        if (content !== undefined) content.synced = content.bytes;
        else {
          this.#syncedNames = new Map(this.#names);
          this.#changes = [];
        }
      },
      [Symbol.asyncDispose]: async () => undefined,
    };
  }

  #call(): void {
    if (this.#left <= 0 && !this.#isDead) this.kill();
    if (this.#isDead) throw new Killed();
    this.#left -= 1;
  }

  #content(path: string): Content {
    const content = this.#names.get(basename(path));
    if (content === undefined) throw new Error('ENOENT');
    return content;
  }

  #change(change: Change): void {
    change(this.#names);
    this.#changes.push(change);
  }
}
