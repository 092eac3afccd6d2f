// One followed file: continues after its last committed entry, under whatever name the file has now.
import type { FileHandle } from 'node:fs/promises';
import type { LineFormat } from '../settings/followed-files.ts';
import type { Candidate } from './candidates.ts';
import { type Checkpoint, extendHead, matchesCheckpoint, UNREAD } from './checkpoint.ts';
import { type Entry, EntryJoiner } from './entry-joiner.ts';
import type { FileGate } from './file-gate.ts';
import { OBJECT_MAX_BYTES } from './json-file.ts';
import { LineSplitter, type RawLine } from './line-splitter.ts';
import { StoredOutputDecoder } from './stored-output.ts';
import { fromUtf16, isUnreadableUtf16, isUtf16 } from './utf16.ts';

const CHUNK_BYTES = 64 * 1024;
/** Shared by all files: lines are copied out of it before the next read. */
const chunkBuffer = Buffer.alloc(CHUNK_BYTES);

/** Path, inode and original path of a file. */
export type FileIdentity = Pick<Candidate, 'path' | 'key' | 'family'>;

/** End of a line, as in entries and lines. */
type End = Pick<RawLine, 'end' | 'tail'>;

/** The end of the last line, without its bytes. */
function endOf(lines: readonly RawLine[]): End | undefined {
  const last = lines.at(-1);
  return last && { end: last.end, tail: Buffer.from(last.tail) };
}

export class FollowedFile {
  identity: FileIdentity;
  /** The file as the last poll found it. */
  seen: Candidate;
  /** True when no poll finds it: renamed out of the globs, or deleted. */
  isMissing = false;
  /** Consecutive reads without new bytes. */
  quietReads = 0;
  #checkpoint: Checkpoint;
  /** Size at the last poll that found the content of the checkpoint. */
  #knownSize: number;
  #handle: FileHandle | undefined;
  readonly #format: LineFormat | undefined;
  #splitter: LineSplitter;
  #decoder: StoredOutputDecoder;
  #joiner = new EntryJoiner();
  #lastLine: End | undefined;
  /** Entries that must be in one batch with the next one. */
  #bound: Entry[] = [];
  #isReported = false;

  constructor(seen: Candidate, checkpoint: Checkpoint, format?: LineFormat) {
    const { path, key, family, size } = seen;
    this.identity = { path, key, family };
    this.seen = seen;
    this.#knownSize = size;
    this.#checkpoint = checkpoint;
    this.#format = format;
    this.#splitter = this.#newSplitter();
    this.#decoder = new StoredOutputDecoder(this.#format);
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
    return Math.max(0, this.seen.size - this.#checkpoint.offset, this.#splitter.at - this.#checkpoint.offset);
  }

  /** True while lines that were read wait for their end or for the next line. */
  get isInEntry(): boolean {
    return this.#joiner.isHolding || this.#splitter.isInLine || this.#decoder.isHolding;
  }

  /** Reports once that the form of the bytes cannot be read. */
  takeUnreadable(): boolean {
    const isFirst = !this.#isReported && isUnreadableUtf16(this.#checkpoint.head);
    this.#isReported ||= isFirst;
    return isFirst;
  }

  /** Records the result of a poll. */
  update(candidate: Candidate): void {
    const { path, key, family, size, mtimeMs } = candidate;
    this.identity = { path, key, family };
    if (this.seen.size !== size || this.seen.mtimeMs !== mtimeMs) this.quietReads = 0;
    this.seen = candidate;
    this.isMissing = false;
  }

  /**
   * Opens the file; false when another file has its path now.
   *
   * @throws RefusedFile, or the error of the system when it cannot be opened
   */
  async open(gate: FileGate): Promise<boolean> {
    if (this.#handle !== undefined) return true;
    const handle = await gate.open(this.identity.path);
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

  /**
   * Records that the content of this poll is that of the checkpoint. Returns the number of unread bytes that were cut
   * off its end since the poll before.
   */
  confirm(): number {
    const cut = Math.max(0, this.#knownSize - this.seen.size);
    this.#knownSize = this.seen.size;
    return cut;
  }

  /**
   * Counts the unread bytes of a file whose content is no longer that of the checkpoint. The truncation may be older or
   * newer than this poll: its size counts only when the file has shrunk since.
   */
  async countLostBytes(): Promise<number> {
    const { size } = (await this.#handle?.stat()) ?? this.seen;
    const end = size < this.seen.size ? Math.max(this.#knownSize, this.seen.size) : this.#knownSize;
    return Math.max(0, end - this.readTo);
  }

  /** Begins again with other content. */
  startOver(): void {
    this.#checkpoint = UNREAD;
    this.#knownSize = 0;
    this.restart();
  }

  /** Returns to the end of the last committed entry. */
  restart(): void {
    this.#splitter = this.#newSplitter();
    this.#decoder = new StoredOutputDecoder(this.#format);
    this.#joiner = new EntryJoiner();
    this.#bound = [];
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
    this.#lastLine = endOf(lines) ?? this.#lastLine;
    return this.#together(lines.map((line) => this.#joiner.add(line)));
  }

  /** Returns the waiting entry; with `all` also a line without a line break. */
  flush(all: boolean): Entry[] {
    const rest = all && this.#splitter.isInLine ? this.#decode([this.#splitter.end()]) : [];
    const lines = all ? [...rest, ...this.#decoder.flush()] : rest;
    this.#lastLine = endOf(lines) ?? this.#lastLine;
    const before = lines.map((line) => this.#joiner.add(line));
    return this.#together([...before, this.#joiner.flush()]);
  }

  /** Returns entries without those that must be in one batch with the next one, which comes later. */
  #together(entries: readonly (Entry | undefined)[]): Entry[] {
    const all = [...this.#bound, ...entries.filter((entry) => entry !== undefined)];
    const free = all.findLastIndex(({ isBound }) => isBound !== true) + 1;
    this.#bound = all.splice(free);
    return all;
  }

  #newSplitter(): LineSplitter {
    const { offset, tail } = this.#checkpoint;
    return new LineSplitter(offset, tail, OBJECT_MAX_BYTES);
  }

  #decode(lines: RawLine[]): RawLine[] {
    const texts = isUtf16(this.#checkpoint.head) ? lines.map(fromUtf16) : lines;
    return texts.flatMap((line) => this.#decoder.add(line));
  }

  /** Records that an entry is in a batch. */
  commit({ end, tail }: End): void {
    this.#checkpoint = { offset: end, head: this.#checkpoint.head, tail };
  }

  /** Ends a chunk whose entries are all in a batch: advances past blank lines, and lets go of the chunk. */
  settle(): void {
    if (!this.#joiner.isHolding && this.#lastLine !== undefined && this.#lastLine.end > this.#checkpoint.offset) {
      this.commit(this.#lastLine);
    }
    this.#checkpoint = { ...this.#checkpoint, tail: Buffer.from(this.#checkpoint.tail) };
  }
}
