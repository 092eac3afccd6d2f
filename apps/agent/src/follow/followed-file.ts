// One followed file: continues after its last committed entry, under whatever name the file has now.
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { LineFormat } from '../followed-files.ts';
import type { Candidate } from './candidates.ts';
import { type Checkpoint, extendHead, matchesCheckpoint } from './checkpoint.ts';
import { type Entry, EntryJoiner } from './entry-joiner.ts';
import { JsonFileDecoder, OBJECT_MAX_BYTES } from './json-file.ts';
import { LineSplitter, type RawLine } from './line-splitter.ts';

const CHUNK_BYTES = 64 * 1024;
/** Shared by all files: lines are copied out of it before the next read. */
const chunkBuffer = Buffer.alloc(CHUNK_BYTES);

/** Path, inode and original path of a file. */
export type FileIdentity = Pick<Candidate, 'path' | 'key' | 'family'>;

/** End of a line, as in entries and lines. */
type End = Pick<RawLine, 'end' | 'tail'>;

/** See the head of this file. */
export class FollowedFile {
  identity: FileIdentity;
  /** The file as the last poll found it; undefined before the first poll. */
  seen: Candidate | undefined;
  /** True when no poll finds it: renamed out of the globs, or deleted. */
  isMissing = false;
  /** Consecutive reads without new bytes. */
  quietReads = 0;
  /** Unread bytes that disappeared between two polls. */
  truncatedBytes = 0;
  #checkpoint: Checkpoint;
  #handle: FileHandle | undefined;
  readonly #format: LineFormat | undefined;
  #splitter: LineSplitter;
  #decoder: JsonFileDecoder | undefined;
  #joiner = new EntryJoiner();
  #lastLine: End | undefined;

  constructor(identity: FileIdentity, checkpoint: Checkpoint, format?: LineFormat) {
    this.identity = identity;
    this.#checkpoint = checkpoint;
    this.#format = format;
    this.#splitter = this.#newSplitter();
    this.#decoder = this.#newDecoder();
  }

  /** Everything before this is in a batch. */
  get checkpoint(): Checkpoint {
    return this.#checkpoint;
  }

  get handle(): FileHandle | undefined {
    return this.#handle;
  }

  /** Position of the next read; ahead of `checkpoint` while an entry waits for more lines. */
  get readTo(): number {
    return this.#splitter.at;
  }

  /** True when the name is that of a rotated file. */
  get isRotated(): boolean {
    return this.identity.path !== this.identity.family;
  }

  /** Known bytes of the file that are not in a batch. */
  get bytesWaiting(): number {
    return Math.max(0, (this.seen?.size ?? 0) - this.#checkpoint.offset, this.#splitter.at - this.#checkpoint.offset);
  }

  /** True while lines that were read wait for their end or for the next line. */
  get isInEntry(): boolean {
    return this.#joiner.isHolding || this.#splitter.isInLine || this.#decoder?.isHolding === true;
  }

  /** Records the result of a poll. */
  update(candidate: Candidate): void {
    const { path, key, family, size, mtimeMs } = candidate;
    this.identity = { path, key, family };
    if (this.seen?.size !== size || this.seen.mtimeMs !== mtimeMs) this.quietReads = 0;
    this.truncatedBytes = size < this.readTo ? Math.max(0, (this.seen?.size ?? 0) - this.readTo) : 0;
    this.seen = candidate;
    this.isMissing = false;
  }

  /**
   * Opens the file; false when another file has its path now.
   *
   * @throws the error of the system when it cannot be opened
   */
  async open(): Promise<boolean> {
    if (this.#handle !== undefined) return true;
    // Non-blocking: a pipe may have replaced the file.
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

  /**
   * Reports whether the open file is the one that was read up to here: neither truncated nor another file on a reused
   * inode.
   */
  async isUnchanged(): Promise<boolean> {
    return this.#handle !== undefined && (await matchesCheckpoint(this.#handle, this.#checkpoint));
  }

  /** Returns to the end of the last committed entry, or to another checkpoint. */
  restart(checkpoint: Checkpoint = this.#checkpoint): void {
    this.#checkpoint = checkpoint;
    this.#splitter = this.#newSplitter();
    this.#decoder = this.#newDecoder();
    this.#joiner = new EntryJoiner();
    this.#lastLine = undefined;
    this.quietReads = 0;
  }

  /**
   * Reads the next chunk and returns the entries that it completes; undefined at the end of the file. Only one file may
   * be read at a time.
   */
  async read(): Promise<Entry[] | undefined> {
    const at = this.#splitter.at;
    const found = await this.#handle?.read(chunkBuffer, 0, CHUNK_BYTES, at);
    if (found === undefined || found.bytesRead === 0) {
      this.quietReads += 1;
      return undefined;
    }
    this.quietReads = 0;
    const chunk = found.buffer.subarray(0, found.bytesRead);
    this.#checkpoint = { ...this.#checkpoint, head: extendHead(this.#checkpoint.head, chunk, at) };
    const lines = this.#decode(this.#splitter.push(chunk));
    this.#lastLine = lines.at(-1) ?? this.#lastLine;
    return lines.map((line) => this.#joiner.add(line)).filter((entry) => entry !== undefined);
  }

  /** Returns the waiting entry; with `all` also a line without a line break. */
  flush(all: boolean): Entry[] {
    const rest = all && this.#splitter.isInLine ? this.#decode([this.#splitter.end()]) : [];
    const lines = all ? [...rest, ...(this.#decoder?.flush() ?? [])] : rest;
    this.#lastLine = lines.at(-1) ?? this.#lastLine;
    const before = lines.map((line) => this.#joiner.add(line));
    return [...before, this.#joiner.flush()].filter((entry) => entry !== undefined);
  }

  #newSplitter(): LineSplitter {
    const { offset, tail } = this.#checkpoint;
    return new LineSplitter(offset, tail, this.#format === undefined ? undefined : OBJECT_MAX_BYTES);
  }

  #newDecoder(): JsonFileDecoder | undefined {
    return this.#format === undefined ? undefined : new JsonFileDecoder();
  }

  #decode(lines: RawLine[]): RawLine[] {
    const decoder = this.#decoder;
    return decoder === undefined ? lines : lines.flatMap((line) => decoder.add(line));
  }

  /** Records that an entry is in a batch. */
  commit({ end, tail }: End): void {
    this.#checkpoint = { offset: end, head: this.#checkpoint.head, tail };
  }

  /** Advances past the blank lines after the last entry. Call it when all entries are in a batch. */
  skipBlankLines(): void {
    if (!this.#joiner.isHolding && this.#lastLine !== undefined && this.#lastLine.end > this.#checkpoint.offset) {
      this.commit(this.#lastLine);
    }
  }
}
