// Opens files by names in folders that others may write. A name may lead elsewhere at any moment, so the open file is
// checked. Each part of a path is opened below the part before it, and without its content (O_PATH). So no link is
// followed unseen, and no device or pipe is opened.
import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Reason to refuse a file. */
export type RefusalReason =
  /** A symbolic link leads out of the folders that links may lead to. */
  | 'link_leads_outside'
  /** A symbolic link is neither root's nor that of the owner of its target. */
  | 'link_of_another_owner'
  /** A file with several names, in a folder where others than its owner and root may add names. */
  | 'hard_link'
  /** A pipe, a device or a socket. */
  | 'no_regular_file'
  /** A path was changed while it was followed. */
  | 'changed_meanwhile';

/** A file that must not be opened. */
export class RefusedFile extends Error {
  readonly code: RefusalReason;

  constructor(code: RefusalReason) {
    super(`a file is refused: ${code}`);
    this.code = code;
  }
}

/** `O_PATH` of Linux; Node does not name it. */
const O_PATH = 0o10000000;
const LINKS_MAX = 40;
const WRITABLE_BY_OTHERS = 0o022n;

/** Path of an open file, whatever its names are. */
const pathOfFd = (fd: number): string => `/proc/self/fd/${fd}`;

/** Returns the real path of an open file. */
export const realPathOf = (fd: number): string => readlinkSync(pathOfFd(fd));

/** Reports whether a path is a folder or lies below it. */
export const isBelow = (path: string, folder: string): boolean =>
  folder === '/' || path === folder || path.startsWith(`${folder}/`);

const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '' && part !== '.');

/** Walks a path, part by part. All that it opens is closed with it. */
class PathWalk implements Disposable {
  readonly #fds: number[] = [];
  /** Links that were followed. */
  links = 0;
  /** Folder of the last part, behind all links. */
  #folder: number | undefined;

  /** Opens what an absolute path leads to. */
  walk(path: string): number {
    return this.#walkFrom(this.#open('/'), partsOf(path));
  }

  get folder(): BigIntStats | undefined {
    return this.#folder === undefined ? undefined : fstatSync(this.#folder, { bigint: true });
  }

  [Symbol.dispose](): void {
    for (const fd of this.#fds) closeSync(fd);
  }

  #open(path: string): number {
    const fd = openSync(path, O_PATH | constants.O_NOFOLLOW);
    this.#fds.push(fd);
    return fd;
  }

  #walkFrom(start: number, parts: readonly string[]): number {
    let at = start;
    for (const part of parts) {
      const path = `${pathOfFd(at)}/${part}`;
      const next = this.#open(path);
      const found = fstatSync(next, { bigint: true });
      if (!found.isSymbolicLink()) this.#folder = at;
      at = found.isSymbolicLink() ? this.#follow(at, path, found) : next;
    }
    return at;
  }

  /** Follows a link that is root's or that of the owner of its target: nobody leads the agent to files of others. */
  #follow(folder: number, path: string, link: BigIntStats): number {
    this.links += 1;
    if (this.links > LINKS_MAX) throw new RefusedFile('changed_meanwhile');
    const text = readlinkSync(path);
    // Only the name can be read, so a link that took the place of the open one is found by its inode and its time.
    const { ino, dev, ctimeNs } = lstatSync(path, { bigint: true });
    if (ino !== link.ino || dev !== link.dev || ctimeNs !== link.ctimeNs) throw new RefusedFile('changed_meanwhile');
    const target = this.#walkFrom(text.startsWith('/') ? this.#open('/') : folder, partsOf(text));
    if (link.uid !== 0n && link.uid !== fstatSync(target, { bigint: true }).uid) {
      throw new RefusedFile('link_of_another_owner');
    }
    return target;
  }
}

/**
 * Returns the real path of a folder or file, along links that are root's or those of the owners of their targets.
 *
 * @throws RefusedFile, or the error of the system
 */
export function resolveSafely(path: string): string {
  using walk = new PathWalk();
  return realPathOf(walk.walk(path));
}

/** Rules for {@link openSafely} and {@link checkSafely}. */
export interface OpenRules {
  /** Returns the folders, as real paths, to whose files links may lead; absent = anywhere. */
  readonly linkRoots?: () => readonly string[];
}

/** Checks the open file that a path leads to, and returns its descriptor. */
function checked(walk: PathWalk, path: string, { linkRoots }: OpenRules): number {
  const fd = walk.walk(path);
  const file = fstatSync(fd, { bigint: true });
  if (!file.isFile()) throw new RefusedFile('no_regular_file');
  if (walk.links > 0 && linkRoots !== undefined) {
    const real = realPathOf(fd);
    if (!linkRoots().some((root) => isBelow(real, root))) throw new RefusedFile('link_leads_outside');
  }
  const { folder } = walk;
  const mayBeAnothers =
    folder !== undefined &&
    ((folder.uid !== 0n && folder.uid !== file.uid) || (folder.mode & WRITABLE_BY_OTHERS) !== 0n);
  if (file.nlink > 1n && mayBeAnothers) throw new RefusedFile('hard_link');
  return fd;
}

/**
 * Checks what a path leads to without opening its content.
 *
 * @throws RefusedFile, or the error of the system
 */
export function checkSafely(path: string, rules: OpenRules = {}): void {
  using walk = new PathWalk();
  checked(walk, path, rules);
}

/**
 * Opens a regular file for reading. Never blocks.
 *
 * @throws RefusedFile, or the error of the system
 */
export async function openSafely(path: string, rules: OpenRules = {}): Promise<FileHandle> {
  using walk = new PathWalk();
  // The same file again, now with its content: this way leads over no name.
  return await open(pathOfFd(checked(walk, path, rules)), constants.O_RDONLY | constants.O_NONBLOCK);
}
