// One file that is followed: read on from where its last entry ended, whatever it is called meanwhile.
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Candidate } from './candidates.ts';
import { type Checkpoint, extendHead, matchesCheckpoint } from './checkpoint.ts';
import { type Entry, EntryJoiner } from './entry-joiner.ts';
import { LineSplitter, type RawLine } from './line-splitter.ts';

const CHUNK_BYTES = 64 * 1024;
/** For all files: lines are copied out of it before anything else is read. */
const chunkBuffer = Buffer.alloc(CHUNK_BYTES);

/** What of a file is known by name and number. */
export type FileIdentity = Pick<Candidate, 'path' | 'key' | 'family'>;

/** The end of a line, as entries and lines have it. */
type End = Pick<RawLine, 'end' | 'tail'>;

/** See the head of this file. */
export class FollowedFile {
  identity: FileIdentity;
  /** What the last look at the folder said; undefined before the first one. */
  seen: Candidate | undefined;
  /** It is not where it was: renamed out of sight, or deleted. */
  isMissing = false;
  /** Reads in a row that found nothing new. */
  quietReads = 0;
  /** Bytes that were in the file at a look, not read, and gone at the next one. */
  truncatedBytes = 0;
  #done: Checkpoint;
  #handle: FileHandle | undefined;
  #splitter: LineSplitter;
  #joiner = new EntryJoiner();
  #lastLine: End | undefined;

  constructor(identity: FileIdentity, mark: Checkpoint) {
    this.identity = identity;
    this.#done = mark;
    this.#splitter = new LineSplitter(mark.offset, mark.tail);
  }

  /** Everything before this is in a batch. */
  get checkpoint(): Checkpoint {
    return this.#done;
  }

  get handle(): FileHandle | undefined {
    return this.#handle;
  }

  /** How far it has been read; behind `done` where an entry waits for more. */
  get readTo(): number {
    return this.#splitter.at;
  }

  /** Its name says that it was rotated away. */
  get isRotated(): boolean {
    return this.identity.path !== this.identity.family;
  }

  /** Bytes that are in the file, as far as is known, and not in a batch. */
  get bytesWaiting(): number {
    return Math.max(0, (this.seen?.size ?? 0) - this.#done.offset, this.#splitter.at - this.#done.offset);
  }

  /** Whether lines have been read that wait for their end or for the next one. */
  get isInEntry(): boolean {
    return this.#joiner.isHolding || this.#splitter.isInLine;
  }

  /** Takes note of what a look at its folder found. */
  update(candidate: Candidate): void {
    const { path, key, family, size, mtimeMs } = candidate;
    this.identity = { path, key, family };
    if (this.seen?.size !== size || this.seen.mtimeMs !== mtimeMs) this.quietReads = 0;
    this.truncatedBytes = size < this.readTo ? Math.max(0, (this.seen?.size ?? 0) - this.readTo) : 0;
    this.seen = candidate;
    this.isMissing = false;
  }

  /**
   * Opens the file; false where its path leads to another one now.
   *
   * @throws what the system says where it cannot be opened
   */
  async open(): Promise<boolean> {
    if (this.#handle !== undefined) return true;
    // Non-blocking: a pipe may have taken the place of the file.
    const handle = await open(this.identity.path, constants.O_RDONLY | constants.O_NONBLOCK);
    const { dev, ino } = await handle.stat({ bigint: true });
    if (`${dev}:${ino}` !== this.identity.key) {
      await handle.close();
      return false;
    }
    this.#handle = handle;
    return true;
  }

  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }

  /** Whether the open file still is the one that was read up to here: not truncated, not another one of its number. */
  async isUnchanged(): Promise<boolean> {
    return this.#handle !== undefined && (await matchesCheckpoint(this.#handle, this.#done));
  }

  /** Goes back to the end of the last entry in a batch, in the same file or in another one. */
  restart(mark: Checkpoint = this.#done): void {
    this.#done = mark;
    this.#splitter = new LineSplitter(mark.offset, mark.tail);
    this.#joiner = new EntryJoiner();
    this.#lastLine = undefined;
    this.quietReads = 0;
  }

  /** Reads the next chunk, of one file at a time; the entries that are complete now, undefined at the end of the file. */
  async read(): Promise<Entry[] | undefined> {
    const at = this.#splitter.at;
    const found = await this.#handle?.read(chunkBuffer, 0, CHUNK_BYTES, at);
    if (found === undefined || found.bytesRead === 0) {
      this.quietReads += 1;
      return undefined;
    }
    this.quietReads = 0;
    const chunk = found.buffer.subarray(0, found.bytesRead);
    this.#done = { ...this.#done, head: extendHead(this.#done.head, chunk, at) };
    const lines = this.#splitter.push(chunk);
    this.#lastLine = lines.at(-1) ?? this.#lastLine;
    return lines.map((line) => this.#joiner.add(line)).filter((entry) => entry !== undefined);
  }

  /** The entry whose lines have all been read, as far as can be known; also a line without an end, where `all` says so. */
  flush(all: boolean): Entry[] {
    const line = all && this.#splitter.isInLine ? this.#splitter.end() : undefined;
    const before = line === undefined ? undefined : this.#joiner.add(line);
    this.#lastLine = line ?? this.#lastLine;
    return [before, this.#joiner.flush()].filter((entry) => entry !== undefined);
  }

  /** Takes note that an entry is in a batch. */
  commit({ end, tail }: End): void {
    this.#done = { offset: end, head: this.#done.head, tail };
  }

  /** Passes the blank lines behind the last entry. To be called when all entries are in a batch. */
  skipBlankLines(): void {
    if (!this.#joiner.isHolding && this.#lastLine !== undefined && this.#lastLine.end > this.#done.offset) {
      this.commit(this.#lastLine);
    }
  }
}
