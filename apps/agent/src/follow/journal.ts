// Follows the journal of systemd through journalctl. Its output waits in the pipe until it is read, so memory is
// bounded and nothing is lost while the spool is full.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { commandEnvironment } from '../facts/exec.ts';
import { JOURNAL_FIELDS, type JournalEntry, readJournalEntry } from '../lines/journal-entry.ts';
import { LineSplitter } from './line-splitter.ts';

export interface JournalOptions {
  /** Units whose entries are read; none = all entries. */
  readonly units: readonly string[];
  /** Cursor of the last entry that is in a batch; undefined before the first. */
  readonly cursor: string | undefined;
  /** Search path for journalctl. */
  readonly path: string;
  /** Receives an entry; resolves when it is in a batch. An earlier batch must not save its cursor. */
  readonly onEntry: (entry: JournalEntry) => Promise<void>;
  /** Called for each entry that cannot be read. The next cursor is that after it. */
  readonly onSkip: () => void;
  /** Reports whether there is room for more entries. */
  readonly hasRoom: () => boolean;
  readonly log: Logger;
  /** Monotonic clock in milliseconds. */
  readonly monotonicMs: () => number;
}

/** Entries of one poll; then the files follow. */
const ENTRIES_PER_POLL = 5_000;
/** An entry may have 16 KiB of text as a list of bytes, and much more that is cut with it. */
const ENTRY_MAX_BYTES = 256 * 1024;
const START_AGAIN_MS = 5_000;
/** Finds the cursor of an entry that is cut. Inside a value, the second quote would have a backslash before it. */
const CURSOR = /"__CURSOR"\s*:\s*"([^"\\]{1,1000})"/;

export class Journal {
  readonly #options: JournalOptions;
  #cursor: string | undefined;
  #child: ChildProcessByStdio<null, Readable, null> | undefined;
  #splitter = new LineSplitter(0, Buffer.alloc(0), ENTRY_MAX_BYTES);
  #startAtMs = Number.NEGATIVE_INFINITY;
  #hasFailed = false;
  /** Skipped entries after the cursor. A restart reads them again, so they are not counted yet. */
  #skipped = 0;
  /** Number of entries that were skipped. */
  losses = 0;

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#cursor = options.cursor;
  }

  /** Cursor of the last entry that is in a batch. */
  get cursor(): string | undefined {
    return this.#cursor;
  }

  /** Reads new entries; true when more can be read at once. */
  async poll(): Promise<boolean> {
    if (this.#child === undefined) this.#start();
    try {
      return await this.#read();
    } catch (error) {
      // The entries of the last chunk that are in no batch must be read again.
      this.close();
      throw error;
    }
  }

  close(): void {
    this.#child?.kill('SIGKILL');
    this.#child?.stdout.destroy();
    this.#child = undefined;
  }

  async #read(): Promise<boolean> {
    for (let entries = 0; entries < ENTRIES_PER_POLL; ) {
      if (!this.#options.hasRoom()) return false;
      const chunk = this.#child?.stdout.read() as Buffer | null | undefined;
      if (chunk === null || chunk === undefined) return false;
      for (const { bytes, lost } of this.#splitter.push(chunk)) {
        await this.#take(bytes.toString('utf8'), lost);
        entries += 1;
      }
    }
    return true;
  }

  async #take(json: string, lost: number): Promise<void> {
    const entry = readJournalEntry(json);
    if (entry === undefined) {
      this.#options.log.warn({ bytes: json.length + lost }, 'an entry of the journal is too long or damaged; skipped');
      this.#skipped += 1;
      const [, cursor] = CURSOR.exec(json) ?? [];
      if (cursor !== undefined) this.#moveTo(cursor);
      return;
    }
    await this.#options.onEntry(entry);
    this.#moveTo(entry.cursor);
    this.#hasFailed = false;
  }

  /** Moves the cursor, and counts the skipped entries before it. */
  #moveTo(cursor: string): void {
    for (; this.#skipped > 0; this.#skipped -= 1) {
      this.losses += 1;
      this.#options.onSkip();
    }
    this.#cursor = cursor;
  }

  /** Starts journalctl after the last entry. Without one it begins with the newest. */
  #start(): void {
    const { units, path, log, monotonicMs } = this.#options;
    if (monotonicMs() < this.#startAtMs) return;
    this.#startAtMs = monotonicMs() + START_AGAIN_MS;
    this.#splitter = new LineSplitter(0, Buffer.alloc(0), ENTRY_MAX_BYTES);
    this.#skipped = 0;
    const child = spawn(
      'journalctl',
      [
        '--output=json',
        '--all',
        '--quiet',
        '--no-pager',
        '--follow',
        `--output-fields=${JOURNAL_FIELDS.join(',')}`,
        ...(this.#cursor === undefined ? ['--lines=1'] : ['--no-tail', `--after-cursor=${this.#cursor}`]),
        ...units.map((unit) => `--unit=${unit}`),
      ],
      { cwd: '/', env: commandEnvironment(path), stdio: ['ignore', 'pipe', 'ignore'] },
    );
    this.#child = child;
    // Read on demand only.
    child.stdout.on('readable', () => undefined);
    child.stdout.on('error', () => undefined);
    const ended = (reason: string): void => {
      if (this.#child !== child) return;
      this.#child = undefined;
      if (!this.#hasFailed) log.warn({ reason }, 'journalctl ended; starting it again after the last entry');
      this.#hasFailed = true;
    };
    child.once('error', (error) => ended(String(error)));
    child.once('close', (code) => ended(`exit code ${code}`));
  }
}
