// Watches the free space of the disks: blocks and inodes.
import { statfs } from 'node:fs/promises';
import { cleanValue } from '../observe/compare.ts';
import type { FoundChange, Watcher } from '../observe/watcher.ts';
import { readLines } from './read-lines.ts';

/** Space of a file system, as statfs(2) tells it. */
export type Space = Readonly<Record<'blocks' | 'bfree' | 'bavail' | 'files' | 'ffree', number>>;

export interface DiskWatcherOptions {
  /** File of the mounts; that of this process outside tests. */
  readonly mountinfo?: string;
  readonly spaceOf?: (path: string) => Promise<Space>;
}

/** File systems on disks. A remote one may never answer, and one in memory is no disk. */
const DISKS = new Set(['ext2', 'ext3', 'ext4', 'xfs', 'btrfs', 'zfs', 'f2fs', 'jfs', 'bcachefs', 'vfat', 'overlay']);
/** File of the mounts of this process. */
export const MOUNTINFO = '/proc/self/mountinfo';
const MOUNTS_MAX = 100;
/** Used shares that are reported when they are crossed, highest first. */
const LEVELS = [98, 90];
/** A level ends this many percent below it, so that a share that moves around it is one change. */
const HYSTERESIS = 2;

/** Finds the mount points of the disks in mountinfo; see proc_pid_mountinfo(5). The first mount of a disk counts. */
export async function findDisks(mountinfo: string, signal: AbortSignal): Promise<string[]> {
  const disks = new Map<string, string>();
  for await (const line of readLines(mountinfo, signal)) {
    const [left = '', right = ''] = line.split(' - ');
    const [, , device = '', , point = ''] = left.split(' ');
    const [type = '', , superOptions = ''] = right.split(' ');
    // A sandbox mounts everything read-only for its process; the options of the file system itself tell the truth.
    const isWritable = superOptions.split(',').includes('rw');
    // Overlays elsewhere are those of containers, on a disk that is counted already.
    const isDisk = DISKS.has(type) && (type !== 'overlay' || point === '/');
    if (isDisk && isWritable && !disks.has(device) && disks.size < MOUNTS_MAX) disks.set(device, decode(point));
  }
  return [...disks.values()];
}

/** Decodes the octal escapes of mount points. */
const decode = (text: string): string =>
  text.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));

/** Percentage of a space that is used, as df(1) counts it: without what is kept for root. */
const usedOf = (total: number, free: number, available: number): number => {
  const used = total - free;
  return used + available === 0 ? 0 : (100 * used) / (used + available);
};

/** The level of a used share, given the last one. */
function levelOf(used: number, last: number): number {
  return LEVELS.find((level) => used >= level || (last >= level && used >= level - HYSTERESIS)) ?? 0;
}

const describe = (level: number): string =>
  level === 0 ? `less than ${LEVELS.at(-1)} % used` : `at least ${level} % used`;

/** Creates the watcher of the disks. */
export function diskWatcher(options: DiskWatcherOptions = {}): Watcher {
  const { mountinfo = MOUNTINFO, spaceOf = statfs } = options;
  return {
    name: 'disk',
    everyS: 30,
    async look(before, signal) {
      const observed: Record<string, string> = {};
      const changes: FoundChange[] = [];
      const note = (field: string, used: number | undefined): void => {
        const last = before?.[field];
        // A mount point may be hidden beneath another one or be unreadable.
        if (used === undefined && last !== undefined) observed[field] = last;
        if (used === undefined) return;
        const level = levelOf(used, Number(last ?? 0));
        observed[field] = String(level);
        if (last === undefined || last === observed[field]) return;
        changes.push({ kind: 'disk', field, from: describe(Number(last)), to: describe(level) });
      };
      for (const point of await findDisks(mountinfo, signal)) {
        const space = await spaceOf(point).catch(() => undefined);
        const field = cleanValue(point);
        note(field, space && usedOf(space.blocks, space.bfree, space.bavail));
        // Some file systems have no fixed number of inodes.
        if (space?.files !== 0) note(`${field} (inodes)`, space && usedOf(space.files, space.ffree, space.ffree));
      }
      return { observed, changes };
    },
  };
}
