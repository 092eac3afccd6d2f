// Follows all files: finds them, identifies them after a rotation, and reads new bytes. The order of the steps matters:
// a file is read only when the start of the read is certain.
import type { Logger } from 'pino';
import type { LineFormat } from '../settings/followed-files.ts';
import { type Candidate, findCandidates } from './candidates.ts';
import { type Checkpoint, readCheckpoint, UNREAD } from './checkpoint.ts';
import type { Entry } from './entry-joiner.ts';
import { FileGate } from './file-gate.ts';
import { findContinuation, findReadCopies, isCopy } from './file-identity.ts';
import { FileOpener } from './file-opener.ts';
import { FollowedFile } from './followed-file.ts';
import { type Positions, type SavedPositions, savePositions } from './positions.ts';

export interface FollowerOptions {
  /** Absolute paths with wildcards. */
  readonly globs: readonly string[];
  /** Folders to whose files symbolic links may lead, beside those of the globs. */
  readonly linkRoots: readonly string[];
  readonly positions: Positions;
  readonly log: Logger;
  /**
   * Receives entries for one batch, and the path of their file before a rotation. They are in it when this returns, or
   * when its promise resolves. An earlier batch must not save the position after them.
   */
  readonly onEntries: (entries: readonly Entry[], path: string) => Promise<void> | undefined;
  /** Returns the form of a file by its path before a rotation; undefined for plain lines. */
  readonly formatOf?: (path: string) => LineFormat | undefined;
  /** Reports whether there is room for more entries. Without room, files are only kept open. */
  readonly hasRoom: () => boolean;
  /** Called for each loss. The next positions are those after it. */
  readonly onLoss: () => void;
  /** Called when the set of files must be saved at once. */
  readonly onChange: () => Promise<void>;
}

/** Chunks of one file that are read before the next file follows. */
const CHUNKS_PER_POLL = 16;
/** Consecutive polls without new bytes after which a rotated or deleted file counts as finished. */
const QUIET_POLLS = 60;

export class Follower {
  readonly #options: FollowerOptions;
  readonly #files = new Map<string, FollowedFile>();
  readonly #knownGlobs: Set<string>;
  readonly #gate: FileGate;
  readonly #opener: FileOpener;
  #changed = false;
  #reopen = false;
  /** Number of losses: a file was deleted or overwritten before it was read. */
  losses = 0;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#knownGlobs = new Set(options.positions.globs);
    this.#gate = new FileGate(options);
    this.#opener = new FileOpener(this.#files, this.#gate, options.log);
    for (const { path, key, family, size, ...checkpoint } of options.positions.files) {
      const seen = { path, key, family, size, mtimeMs: 0, isNamed: false };
      this.#files.set(key, new FollowedFile(seen, checkpoint, options.formatOf?.(family)));
    }
  }

  /** Number of existing files whose name matches a glob. */
  get count(): number {
    return [...this.#files.values()].filter(({ seen, isMissing }) => seen.isNamed && !isMissing).length;
  }

  /** Number of files that match a glob and may not be followed. */
  get refused(): number {
    return this.#gate.refused;
  }

  get bytesWaiting(): number {
    return [...this.#files.values()].reduce((sum, file) => sum + file.bytesWaiting, 0);
  }

  /** Positions to store with the current batch. */
  positions(): SavedPositions {
    return savePositions(this.#knownGlobs, this.#files.values());
  }

  /** Reopens every file at the next poll, at its checkpoint. */
  reopen(): void {
    this.#reopen = true;
  }

  /** Scans the folders and reads new bytes; true when more can be read at once. */
  async poll(): Promise<boolean> {
    if (this.#reopen) await this.#closeAll();
    this.#gate.startCount();
    const found = await this.#find();
    this.#updateSeen(found);
    // Rotated files first: a file whose inode was reused for a copy must not hide the copy.
    const files = [...this.#files.values()].sort((a, b) => Number(b.isRotated) - Number(a.isRotated));
    for (const file of files) await (file.isMissing ? this.#findMoved(file, found) : this.#checkTruncation(file));
    await this.#skipOldRotations(found);
    await this.#followNew(found);
    if (this.#changed) await this.#options.onChange();
    this.#changed = false;
    const hasMore = await this.#readAll();
    await this.#closeFinished();
    return hasMore;
  }

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

  #find(globs = this.#options.globs): Promise<Candidate[]> {
    return findCandidates(globs, this.#gate);
  }

  #updateSeen(found: readonly Candidate[]): void {
    for (const file of this.#files.values()) file.isMissing = true;
    for (const candidate of found) this.#files.get(candidate.key)?.update(candidate);
  }

  /** Follows a candidate from a checkpoint, and discards earlier knowledge of it. */
  async #follow(candidate: Candidate, checkpoint: Checkpoint): Promise<void> {
    await this.#unfollow(this.#files.get(candidate.key));
    const file = new FollowedFile(candidate, checkpoint, this.#options.formatOf?.(candidate.family));
    this.#files.set(candidate.key, file);
    this.#changed = true;
    if (candidate.size > checkpoint.offset || !file.isRotated) await this.#opener.open(file);
  }

  async #unfollow(file: FollowedFile | undefined): Promise<void> {
    if (file === undefined) return;
    await file.close();
    this.#files.delete(file.identity.key);
    this.#changed = true;
  }

  /** Looks for a missing file elsewhere. An open file is read to its end first. */
  async #findMoved(file: FollowedFile, found: readonly Candidate[]): Promise<void> {
    const size = (await file.handle?.stat())?.size ?? 0;
    if (size > file.checkpoint.offset) return;
    const next = await findContinuation(file, found, this.#files, this.#gate);
    if (next === undefined) return;
    await this.#unfollow(file);
    await this.#follow(next, file.checkpoint);
  }

  /** Detects truncation and a reused inode. */
  async #checkTruncation(file: FollowedFile): Promise<void> {
    const isIdle = file.quietReads > 0 && file.seen.size === file.readTo;
    if (isIdle || !(await this.#opener.open(file))) return;
    if (file.seen.size >= file.readTo && (await file.isUnchanged())) {
      await this.#recordCut(file, file.confirm());
      return;
    }
    // A copy may be newer than the poll.
    const found = await this.#find();
    const copy = await findContinuation(file, found, this.#files, this.#gate);
    if (copy === undefined) await this.#recordTruncation(file, found);
    else await this.#follow(copy, file.checkpoint);
    this.#options.log.info({ file: file.identity.path, copy: copy?.path }, 'a followed file was truncated or replaced');
    this.#changed = true;
    if (file.isRotated) await this.#unfollow(file);
    else file.startOver();
  }

  /**
   * Records a truncation without a copy to continue in: unread bytes are lost, and existing copies hold nothing new.
   */
  async #recordTruncation(file: FollowedFile, found: readonly Candidate[]): Promise<void> {
    for (const { copy, end } of await findReadCopies(file, found, this.#files, this.#gate))
      await this.#follow(copy, end);
    const lostBytes = await file.countLostBytes();
    await this.#emit(file, file.flush(true));
    if (lostBytes > 0) this.#logLoss(file, lostBytes);
  }

  /** Records unread bytes that were cut off the end of a file, unless a new copy has them. */
  async #recordCut(file: FollowedFile, bytes: number): Promise<void> {
    if (bytes === 0) return;
    const { family } = file.identity;
    const fullSize = file.seen.size + bytes;
    const found = await this.#find();
    const isCopied = found.some(
      (other) => other.family === family && other.size >= fullSize && !this.#files.has(other.key),
    );
    if (!isCopied) this.#logLoss(file, bytes);
  }

  #logLoss({ identity }: FollowedFile, bytes: number): void {
    this.losses += 1;
    this.#options.onLoss();
    this.#options.log.warn(
      { file: identity.path, bytes },
      'the last lines of a followed file were deleted before they were read',
    );
  }

  /** Skips files that were rotated away before the first poll of their glob. */
  async #skipOldRotations(found: readonly Candidate[]): Promise<void> {
    const known = this.#options.globs.filter((glob) => this.#knownGlobs.has(glob));
    if (known.length === this.#options.globs.length) return;
    const before = new Set((await this.#find(known)).map(({ key }) => key));
    for (const candidate of found) {
      if (candidate.isNamed || this.#files.has(candidate.key) || before.has(candidate.key)) continue;
      const end = await this.#gate.withFile(candidate.path, (handle) => readCheckpoint(handle, candidate.size));
      if (end !== undefined) await this.#follow(candidate, end);
    }
    for (const glob of this.#options.globs) this.#knownGlobs.add(glob);
    this.#changed = true;
  }

  /** Follows new files, except copies. */
  async #followNew(found: readonly Candidate[]): Promise<void> {
    for (const candidate of found) {
      if (this.#files.has(candidate.key)) continue;
      const isRotated = candidate.path !== candidate.family;
      // An empty file may be a copy that has just begun.
      if (isRotated && (candidate.size === 0 || (await isCopy(candidate, this.#files, this.#gate)))) continue;
      await this.#follow(candidate, UNREAD);
    }
  }

  async #readAll(): Promise<boolean> {
    // Deleted and rotated files are older than existing ones.
    const time = ({ isMissing, seen }: FollowedFile) => (isMissing ? 0 : seen.mtimeMs);
    let hasMore = false;
    for (const file of [...this.#files.values()].sort((a, b) => time(a) - time(b))) {
      if (file.handle !== undefined) hasMore = (await this.#readSome(file)) || hasMore;
    }
    return hasMore;
  }

  async #readSome(file: FollowedFile): Promise<boolean> {
    for (let chunk = 0; chunk < CHUNKS_PER_POLL; chunk += 1) {
      if (!this.#options.hasRoom()) return false;
      const entries = await file.read();
      if (entries === undefined) {
        // No new bytes since the last poll: the waiting entry is complete.
        if (chunk === 0 && file.isInEntry) await this.#emit(file, file.flush(this.#isFinished(file)));
        return false;
      }
      if (file.takeUnreadable())
        this.#options.log.warn(
          { file: file.identity.path },
          'a followed file is in UTF-16 with the high byte first, which cannot be read; write it in UTF-8',
        );
      await this.#emit(file, entries);
    }
    return true;
  }

  async #emit(file: FollowedFile, entries: readonly Entry[]): Promise<void> {
    let together: Entry[] = [];
    for (const entry of entries) {
      together.push(entry);
      if (entry.isBound === true) continue;
      // Most entries only join the batch. A promise for each would cost as much as that.
      const adding = this.#options.onEntries(together, file.identity.family);
      if (adding !== undefined) await adding;
      file.commit(entry);
      together = [];
    }
    file.settle();
  }

  #isFinished({ quietReads, isRotated, isMissing }: FollowedFile): boolean {
    return quietReads > QUIET_POLLS && (isRotated || isMissing);
  }

  async #closeFinished(): Promise<void> {
    for (const file of this.#files.values()) {
      if (file.handle !== undefined && (!this.#isFinished(file) || file.isInEntry)) continue;
      if (!file.isMissing) {
        if (file.isRotated && file.handle !== undefined) await file.close();
        continue;
      }
      await this.#unfollow(file);
      if (file.bytesWaiting > 0) this.#logLoss(file, file.bytesWaiting);
    }
  }
}
