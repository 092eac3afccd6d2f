// All followed files: which there are, which of them is which after a rotation, and what is new in them. The order is the
// essence here: a file is read only when it is certain where its reading has to begin.
import type { Logger } from 'pino';
import { type Candidate, findCandidates } from './candidates.ts';
import { type Checkpoint, readCheckpoint, UNREAD } from './checkpoint.ts';
import type { Entry } from './entry-joiner.ts';
import { findContinuation, findReadCopies, isCopy } from './file-identity.ts';
import { FileOpener } from './file-opener.ts';
import { FollowedFile } from './followed-file.ts';
import { type Positions, type SavedPositions, savePositions } from './positions.ts';
import { withFile } from './with-file.ts';

/** What {@link Follower} needs. */
export interface FollowerOptions {
  /** Absolute paths with wildcards. */
  readonly globs: readonly string[];
  readonly positions: Positions;
  readonly log: Logger;
  /** Takes an entry; resolves when it is in a batch. The place behind it must not be saved with an earlier batch. */
  readonly onEntry: (entry: Entry) => Promise<void>;
  /** Whether there is room for more entries. Without, files are only kept open. */
  readonly hasRoom: () => boolean;
  /** Told when it has to be saved at once which files there are. */
  readonly onChange: () => Promise<void>;
}

/** So many chunks of one file are read before the next one has its turn. */
const CHUNKS_A_TURN = 16;
/** Looks in a row that found nothing new: then nobody writes any more to a file that was rotated away or deleted. */
const QUIET_LOOKS = 60;

/** See the head of this file. */
export class Follower {
  readonly #options: FollowerOptions;
  readonly #files = new Map<string, FollowedFile>();
  readonly #knownGlobs: Set<string>;
  readonly #opener: FileOpener;
  #changed = false;
  #reopen = false;
  /** How often something was lost: a file was gone, or overwritten, before it was read. */
  losses = 0;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#knownGlobs = new Set(options.positions.globs);
    this.#opener = new FileOpener(this.#files, options.log);
    for (const { path, key, family, size, ...mark } of options.positions.files) {
      const file = new FollowedFile({ path, key, family }, mark);
      file.seen = { path, key, family, size, mtimeMs: 0, isNamed: false };
      this.#files.set(key, file);
    }
  }

  /** How many of the followed files are there under a name that a glob has. */
  get count(): number {
    return [...this.#files.values()].filter(({ seen, isMissing }) => seen?.isNamed && !isMissing).length;
  }

  get bytesWaiting(): number {
    return [...this.#files.values()].reduce((sum, file) => sum + file.bytesWaiting, 0);
  }

  /** For the batch that is made now. */
  positions(): SavedPositions {
    return savePositions(this.#knownGlobs, this.#files.values());
  }

  /** Opens every file anew with the next look, at the place where it stands. */
  reopen(): void {
    this.#reopen = true;
  }

  /** Looks at the folders and reads what is new; true where there is more to read already. */
  async poll(): Promise<boolean> {
    if (this.#reopen) await this.#closeAll();
    const found = await findCandidates(this.#options.globs);
    this.#match(found);
    // Those that were rotated away first: one whose number was given to a copy must not hide the copy.
    const files = [...this.#files.values()].sort((a, b) => Number(b.isRotated) - Number(a.isRotated));
    for (const file of files) await (file.isMissing ? this.#trace(file, found) : this.#check(file));
    await this.#passBy(found);
    await this.#admit(found);
    if (this.#changed) await this.#options.onChange();
    this.#changed = false;
    const hasMore = await this.#readAll();
    await this.#letGo();
    return hasMore;
  }

  /** Closes all files. */
  async close(): Promise<void> {
    await Promise.all(Array.from(this.#files.values(), (file) => file.close()));
  }

  async #closeAll(): Promise<void> {
    this.#reopen = false;
    for (const file of this.#files.values()) {
      await file.close();
      file.restart();
    }
  }

  #match(found: readonly Candidate[]): void {
    for (const file of this.#files.values()) file.isMissing = true;
    for (const candidate of found) this.#files.get(candidate.key)?.update(candidate);
  }

  /** Follows a candidate from a place on, instead of what was known of it. */
  async #take(candidate: Candidate, mark: Checkpoint): Promise<void> {
    await this.#drop(this.#files.get(candidate.key));
    const { path, key, family } = candidate;
    const file = new FollowedFile({ path, key, family }, mark);
    file.seen = candidate;
    this.#files.set(key, file);
    this.#changed = true;
    if (candidate.size > mark.offset || !file.isRotated) await this.#opener.open(file);
  }

  async #drop(file: FollowedFile | undefined): Promise<void> {
    if (file === undefined) return;
    await file.close();
    this.#files.delete(file.identity.key);
    this.#changed = true;
  }

  /** A file that is not there any more may live on elsewhere. One that is open is read to its end first. */
  async #trace(file: FollowedFile, found: readonly Candidate[]): Promise<void> {
    const size = (await file.handle?.stat())?.size ?? 0;
    if (size > file.checkpoint.offset) return;
    const next = await findContinuation(file, found, this.#files);
    if (next === undefined) return;
    await this.#drop(file);
    await this.#take(next, file.checkpoint);
  }

  /** Notices that a file was truncated, or that its number was given to another one. */
  async #check(file: FollowedFile): Promise<void> {
    const isIdle = file.quietReads > 0 && file.seen?.size === file.readTo;
    if (isIdle || !(await this.#opener.open(file)) || file.readTo === 0) return;
    if ((file.seen?.size ?? 0) >= file.readTo && (await file.isUnchanged())) return;
    // A copy may be younger than the look.
    const found = await findCandidates(this.#options.globs);
    const copy = await findContinuation(file, found, this.#files);
    if (copy === undefined) await this.#accept(file, found);
    else await this.#take(copy, file.checkpoint);
    this.#options.log.info({ file: file.identity.path, copy: copy?.path }, 'a followed file was truncated or replaced');
    this.#changed = true;
    if (file.isRotated) await this.#drop(file);
    else file.restart(UNREAD);
  }

  /** What was read of a file is all there is: what was cut off is lost, and copies have nothing new. */
  async #accept(file: FollowedFile, found: readonly Candidate[]): Promise<void> {
    for (const { copy, end } of await findReadCopies(file, found, this.#files)) await this.#take(copy, end);
    await this.#put(file, file.flush(true));
    if (file.truncatedBytes > 0) this.#tellLoss(file, file.truncatedBytes);
  }

  #tellLoss({ identity }: FollowedFile, bytes: number): void {
    this.losses += 1;
    this.#options.log.warn(
      { file: identity.path, bytes },
      'the last lines of a followed file were gone before they were read',
    );
  }

  /** What was rotated away before a glob was looked at for the first time stays unread. */
  async #passBy(found: readonly Candidate[]): Promise<void> {
    const known = this.#options.globs.filter((glob) => this.#knownGlobs.has(glob));
    if (known.length === this.#options.globs.length) return;
    const before = new Set((await findCandidates(known)).map(({ key }) => key));
    for (const candidate of found) {
      if (candidate.isNamed || this.#files.has(candidate.key) || before.has(candidate.key)) continue;
      const end = await withFile(candidate.path, (handle) => readCheckpoint(handle, candidate.size));
      if (end !== undefined) await this.#take(candidate, end);
    }
    for (const glob of this.#options.globs) this.#knownGlobs.add(glob);
    this.#changed = true;
  }

  /** Begins to follow what is new, but for copies. */
  async #admit(found: readonly Candidate[]): Promise<void> {
    for (const candidate of found) {
      if (this.#files.has(candidate.key)) continue;
      const isRotated = candidate.path !== candidate.family;
      // One that is empty may be a copy that has just begun.
      if (isRotated && (candidate.size === 0 || (await isCopy(candidate, this.#files)))) continue;
      await this.#take(candidate, UNREAD);
    }
  }

  async #readAll(): Promise<boolean> {
    // What is gone, or was rotated away, came before what is there now.
    const time = ({ isMissing, seen }: FollowedFile) => (isMissing ? 0 : (seen?.mtimeMs ?? 0));
    let hasMore = false;
    for (const file of [...this.#files.values()].sort((a, b) => time(a) - time(b))) {
      if (file.handle !== undefined) hasMore = (await this.#readSome(file)) || hasMore;
    }
    return hasMore;
  }

  async #readSome(file: FollowedFile): Promise<boolean> {
    for (let chunk = 0; chunk < CHUNKS_A_TURN; chunk += 1) {
      if (!this.#options.hasRoom()) return false;
      const entries = await file.read();
      if (entries === undefined) {
        // Nothing new since the last look: what waits for more has all it gets.
        if (chunk === 0 && file.isInEntry) await this.#put(file, file.flush(this.#isOver(file)));
        return false;
      }
      await this.#put(file, entries);
    }
    return true;
  }

  async #put(file: FollowedFile, entries: readonly Entry[]): Promise<void> {
    for (const entry of entries) {
      await this.#options.onEntry(entry);
      file.commit(entry);
    }
    file.skipBlankLines();
  }

  #isOver({ quietReads, isRotated, isMissing }: FollowedFile): boolean {
    return quietReads > QUIET_LOOKS && (isRotated || isMissing);
  }

  async #letGo(): Promise<void> {
    for (const file of this.#files.values()) {
      if (file.handle !== undefined && (!this.#isOver(file) || file.isInEntry)) continue;
      if (!file.isMissing) {
        if (file.isRotated && file.handle !== undefined) await file.close();
        continue;
      }
      await this.#drop(file);
      if (file.bytesWaiting > 0) this.#tellLoss(file, file.bytesWaiting);
    }
  }
}
