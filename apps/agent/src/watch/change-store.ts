// Observations of the watchers, and the changes that wait for the server, in order. A change is in the agent's folder
// before it is sent, and stays until the server has stored it.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { DIFF_MAX, HOST_CHANGES_MAX, type HostChange } from '@quarterdeck/core';
import type { Logger } from 'pino';
import { clean } from '../facts/clean.ts';
import type { FoundChange, Look, Observed } from '../observe/watcher.ts';
import {
  noteLook,
  readWatchFiles,
  removeWatchFile,
  type StoredChange,
  watchFolder,
  writeWatchFile,
} from './watch-file.ts';

const TEXT_MAX = 500;

/** Makes one line of at most 500 characters. */
const cleanText = (text: string): string => clean(text, TEXT_MAX);

/** Keeps the lines of a difference. Other control characters and directions of text become spaces. */
const cleanDiff = (text: string): string =>
  text
    .slice(0, DIFF_MAX)
    .toWellFormed()
    .replace(/[^\P{C}\n\t]/gu, ' ');

/** Changes that wait at most; the oldest ones are dropped beyond it. */
const WAITING_MAX = 1_000;
const WAITING_MAX_BYTES = 4 * 1024 * 1024;
/** Bytes of the changes in one report. */
const REPORT_MAX_BYTES = 256 * 1024;
/** The server accepts no older change. */
const AGO_MAX_S = 400 * 86_400;

/** Time between two looks from which a change has the interval in which it happened. */
const LONG_MS = 5 * 60_000;

/** Clocks of a {@link ChangeStore}. */
export interface Clocks {
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Monotonic clock in milliseconds. */
  readonly monotonicMs: () => number;
}

interface Waiting extends StoredChange {
  readonly watcher: string;
  readonly bytes: number;
  /** Time of the change by the monotonic clock; absent for one of an earlier process, whose clock is another one. */
  readonly monotonicMs?: number;
  /** Reports that had it. The server may have stored it with any of them. */
  sends: number;
}

/** Changes as a session reports them. */
export interface Changes {
  /** Returns the oldest changes that fit into a report. */
  next(): HostChange[];
  /** Removes the sent changes that the server has stored. `stored` is the number in its answer. */
  acknowledge(sent: readonly HostChange[], stored: number | undefined): Promise<void>;
  /** Notes that the server refuses a report because of its changes. */
  reject(sent: readonly HostChange[]): Promise<void>;
}

export interface ChangeStoreOptions extends Clocks {
  readonly agentDir: string;
  /** Names of the watchers that run. The observations of others are removed. */
  readonly names: readonly string[];
  readonly log: Logger;
  /** Called when a change waits for the next report. */
  readonly onWaiting: () => void;
}

export class ChangeStore implements Changes {
  readonly #options: ChangeStoreOptions;
  readonly #dir: string;
  readonly #observed = new Map<string, Observed>();
  /** Watcher -> Unix milliseconds at which its last look began, and whether that was in this process. */
  readonly #looked = new Map<string, { readonly atMs: number; readonly isOwn: boolean }>();
  #waiting: Waiting[] = [];
  #last = 0;
  /** Changes in a report; less after a refusal, so that one bad change does not keep the others. */
  #limit = HOST_CHANGES_MAX;
  /** Serializes changes of the files. */
  #lastWrite: Promise<unknown> = Promise.resolve();

  private constructor(options: ChangeStoreOptions) {
    this.#options = options;
    this.#dir = watchFolder(options.agentDir);
  }

  /**
   * Opens the store in the agent's folder.
   *
   * @throws the error of the system when the folder cannot be used
   */
  static async open(options: ChangeStoreOptions): Promise<ChangeStore> {
    const store = new ChangeStore(options);
    await store.#load();
    return store;
  }

  /** Last observation of a watcher; undefined before the first one. */
  observed(name: string): Observed | undefined {
    return this.#observed.get(name);
  }

  /**
   * Stores a look with its changes; when this returns, they are on the disk. A change that happened while the agent was
   * down gets the interval in which it did: since the look before.
   *
   * @param tookMs milliseconds since the start of the look
   * @throws the error of the system when they cannot be written; the last observation then stays
   */
  keep(name: string, { observed, changes }: Look, tookMs = 0): Promise<void> {
    const looked = { atMs: this.#options.now() - tookMs, isOwn: true };
    return this.#serialize(async () => {
      const before = this.#observed.get(name);
      if (changes.length === 0 && (observed === before || isDeepStrictEqual(observed, before))) {
        await noteLook(this.#dir, name, looked.atMs);
        this.#looked.set(name, looked);
        return;
      }
      const last = this.#looked.get(name);
      const isLong = last !== undefined && (!last.isOwn || looked.atMs - last.atMs > LONG_MS);
      const sinceMs = isLong ? last.atMs : undefined;
      const waiting = [...this.#waiting, ...changes.map((change) => this.#numbered(name, change, sinceMs))];
      const kept = withinBounds(waiting);
      await this.#write(name, observed, kept, looked.atMs);
      this.#observed.set(name, observed);
      this.#looked.set(name, looked);
      this.#waiting = kept;
      await this.#dropped(
        waiting.slice(0, waiting.length - kept.length),
        'too many changes wait for the server; the oldest are dropped',
      );
      if (changes.length > 0) this.#options.onWaiting();
    });
  }

  next(): HostChange[] {
    const chosen: HostChange[] = [];
    let bytes = 0;
    for (const change of this.#waiting.slice(0, this.#limit)) {
      bytes += change.bytes;
      if (chosen.length > 0 && bytes > REPORT_MAX_BYTES) break;
      change.sends += 1;
      const { seq, kind, field, from, to, diff, atMs, sinceMs } = change;
      const ago = this.#agoOf(change);
      chosen.push({
        seq,
        ago,
        ...(sinceMs === undefined ? {} : { since_ago: bounded(ago + (atMs - sinceMs) / 1000) }),
        kind,
        field,
        from,
        to,
        ...(diff === undefined ? {} : { diff }),
      });
    }
    return chosen;
  }

  acknowledge(sent: readonly HostChange[], stored: number | undefined): Promise<void> {
    const highest = sent.at(-1)?.seq;
    if (highest === undefined) return Promise.resolve();
    if (stored === undefined) {
      // An older server, which takes no changes yet: one in each report finds out when it does.
      this.#limit = 1;
      return Promise.resolve();
    }
    return this.#serialize(async () => {
      const numbers = new Set(sent.map(({ seq }) => seq));
      // A number that this host has not sent: a copy of the host, or its own earlier folder, used the same identity.
      // The server took changes below that number for known ones, so they are sent again under higher numbers.
      const isForeign = stored > highest;
      const isStored = ({ seq, sends }: Waiting) => numbers.has(seq) && seq <= stored && (sends > 1 || !isForeign);
      const removed = this.#waiting.filter(isStored);
      this.#waiting = this.#waiting.filter((change) => !removed.includes(change));
      if (isForeign) this.#renumberAbove(stored);
      if (removed.length > 0) this.#limit = Math.min(HOST_CHANGES_MAX, this.#limit * 2);
      await this.#writeAll(isForeign ? [...removed, ...this.#waiting] : removed);
      if (this.#waiting.length > 0 && (removed.length > 0 || isForeign)) this.#options.onWaiting();
    });
  }

  reject(sent: readonly HostChange[]): Promise<void> {
    return this.#serialize(async () => {
      const isAlone = sent.length === 1;
      this.#limit = 1;
      const [first] = this.#waiting;
      if (!isAlone || first === undefined || first.seq !== sent[0]?.seq) return;
      this.#waiting = this.#waiting.slice(1);
      await this.#dropped([first], 'the server refuses a change; it is dropped');
    });
  }

  #serialize<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#lastWrite.then(work);
    this.#lastWrite = result.catch(() => undefined);
    return result;
  }

  // Numbers rise with the clock, so that a restored or a lost folder does not use those of an earlier change again.
  #nextNumber(): number {
    this.#last = Math.max(this.#last + 1, Math.floor(this.#options.now()));
    return this.#last;
  }

  #numbered(watcher: string, { kind, field, from, to, diff, atMs }: FoundChange, sinceMs: number | undefined): Waiting {
    const nowMs = this.#options.now();
    const time = Math.min(nowMs, atMs ?? nowMs);
    const change: StoredChange = {
      seq: this.#nextNumber(),
      kind,
      field: cleanText(field),
      from: cleanText(from),
      to: cleanText(to),
      ...(diff === undefined ? {} : { diff: cleanDiff(diff) }),
      atMs: time,
      // A clock that was set back says nothing about the interval.
      ...(sinceMs === undefined || sinceMs > time ? {} : { sinceMs }),
    };
    const monotonicMs = this.#options.monotonicMs() - (nowMs - time);
    return { ...change, watcher, bytes: bytesOf(change), monotonicMs, sends: 0 };
  }

  #agoOf({ atMs, monotonicMs }: Waiting): number {
    const ms =
      monotonicMs === undefined ? this.#options.now() - atMs : Math.max(0, this.#options.monotonicMs() - monotonicMs);
    return bounded(Math.round(ms) / 1000);
  }

  #renumberAbove(stored: number): void {
    this.#last = Math.max(this.#last, stored);
    this.#waiting = this.#waiting.map((change) => ({ ...change, seq: this.#nextNumber(), sends: 0 }));
  }

  /** Logs changes that nobody will see, after their removal. */
  async #dropped(changes: readonly Waiting[], message: string): Promise<void> {
    if (changes.length === 0) return;
    this.#options.log.warn({ dropped: changes.length, first: changes[0]?.field }, message);
    await this.#writeAll(changes);
  }

  /** Writes the files of the watchers of some changes. A failure is harmless: the server knows changes by number. */
  async #writeAll(changes: readonly Waiting[]): Promise<void> {
    for (const name of new Set(changes.map(({ watcher }) => watcher))) {
      await this.#write(name, this.#observed.get(name), this.#waiting).catch((error) => {
        this.#options.log.warn({ reason: String(error) }, 'cannot remove sent changes from the disk');
      });
    }
  }

  async #write(
    name: string,
    observed: Observed | undefined,
    waiting: readonly Waiting[],
    lookedMs = this.#looked.get(name)?.atMs,
  ): Promise<void> {
    const changes = waiting.filter(({ watcher }) => watcher === name).map(toStored);
    if (observed === undefined && changes.length === 0) return removeWatchFile(this.#dir, name);
    const file = { version: 1, last: this.#last, changes } as const;
    await writeWatchFile(this.#dir, name, observed === undefined ? file : { ...file, observed }, lookedMs);
  }

  async #load(): Promise<void> {
    const { names, log } = this.#options;
    for (const [watcher, file] of await readWatchFiles(this.#dir, log)) {
      this.#last = Math.max(this.#last, file.last);
      for (const change of file.changes) {
        this.#waiting.push({ ...change, watcher, bytes: bytesOf(change), sends: 1 });
      }
      if (names.includes(watcher)) {
        if (file.observed !== undefined) this.#observed.set(watcher, file.observed);
        this.#looked.set(watcher, { atMs: file.lookedMs, isOwn: false });
        continue;
      }
      // Compared with an old observation, a watcher that is turned on again would report the changes of months.
      if (file.observed !== undefined) await this.#write(watcher, undefined, this.#waiting);
      await rm(join(this.#dir, watcher), { recursive: true, force: true });
    }
    this.#waiting.sort((a, b) => a.seq - b.seq);
    if (this.#waiting.length > 0) this.#options.onWaiting();
  }
}

/** Seconds that the server accepts. */
const bounded = (seconds: number): number => Math.min(AGO_MAX_S, Math.max(0, seconds));

const toStored = ({ seq, kind, field, from, to, diff, atMs, sinceMs }: Waiting): StoredChange => ({
  seq,
  kind,
  field,
  from,
  to,
  ...(diff === undefined ? {} : { diff }),
  atMs,
  ...(sinceMs === undefined ? {} : { sinceMs }),
});

const bytesOf = (change: StoredChange): number => Buffer.byteLength(JSON.stringify(change));

/** The newest changes that may wait. */
function withinBounds(waiting: readonly Waiting[]): Waiting[] {
  let bytes = 0;
  const kept: Waiting[] = [];
  for (const change of waiting.toReversed()) {
    bytes += change.bytes;
    if (kept.length === WAITING_MAX || bytes > WAITING_MAX_BYTES) break;
    kept.push(change);
  }
  return kept.reverse();
}
