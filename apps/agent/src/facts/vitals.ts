// Reads how busy this host is, from /proc and the file systems. It is read each minute, so it must be cheap: the
// beginnings of files of the kernel, and one call for each disk.
import { closeSync, openSync, readSync, type StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { AgentVitals } from '@quarterdeck/core';

/** Reads the present vitals. */
export type ReadVitals = () => Promise<AgentVitals>;

export interface VitalsOptions {
  /** Mount points of the disks of the host. */
  readonly findDisks: () => Promise<readonly string[]>;
  /** Monotonic clock in milliseconds. */
  readonly monotonicMs: () => number;
  /** Folder of the kernel's files; `/proc` outside tests. */
  readonly proc?: string;
  readonly spaceOf?: (path: string) => Promise<Pick<StatsFs, 'bsize' | 'blocks' | 'bfree' | 'bavail'>>;
}

type Disks = NonNullable<AgentVitals['disk']>;

/** File systems that are sent, and characters of their mount points. */
const DISKS_MAX = 16;
const PATH_MAX = 200;
/** Mounts rarely change, and their list is long on hosts of containers. */
const MOUNTS_EVERY_MS = 5 * 60_000;
/** A disk that is dying may not answer; a report does not wait for it. */
const DISK_WAIT_MS = 200;
/** Bytes that are read of a file of the kernel: all that is needed is within its beginning. */
const BYTES = 8 * 1024;
/** Times of /proc/stat in which a processor was not busy: idle, and waiting for disks. */
const IDLE = [3, 4] as const;
/** Times of /proc/stat; those behind are counted among them as well. */
const TIMES = 8;

/** Times of all processors since the boot, in ticks. */
interface CpuTimes {
  readonly idle: number;
  readonly total: number;
}

/** Reads the beginning of a file; '' where it cannot be read. */
function beginningOf(path: string): string {
  let fd: number | undefined;
  try {
    fd = openSync(path, 'r');
    const buffer = Buffer.allocUnsafe(BYTES);
    return buffer.toString('latin1', 0, readSync(fd, buffer, 0, BYTES, 0));
  } catch {
    return '';
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** The numbers at the beginning of a text, up to the first other word. */
const numbersOf = (text: string): number[] =>
  (/^[\d.\s]*/.exec(text)?.[0] ?? '').split(/\s+/).filter(Boolean).map(Number);

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** A percentage within its bounds, in tenths. */
const percent = (part: number, whole: number): number =>
  whole <= 0 ? 0 : Math.round(Math.min(1, Math.max(0, part / whole)) * 1000) / 10;

function cpuTimes(stat: string): CpuTimes | undefined {
  const line = /^cpu +([\d ]+)$/m.exec(stat)?.[1];
  if (line === undefined) return undefined;
  const times = numbersOf(line).slice(0, TIMES);
  return { idle: sum(IDLE.map((at) => times[at] ?? 0)), total: sum(times) };
}

function memoryOf(meminfo: string): Pick<AgentVitals, 'memory' | 'swap'> {
  const kb = (name: string) => Number(new RegExp(`^${name}: +(\\d+) kB$`, 'm').exec(meminfo)?.[1] ?? Number.NaN);
  const [total, swap] = [kb('MemTotal'), kb('SwapTotal')];
  const [usedMemory, usedSwap] = [total - kb('MemAvailable'), swap - kb('SwapFree')];
  return {
    ...(Number.isNaN(usedMemory) ? {} : { memory: percent(usedMemory, total) }),
    ...(Number.isNaN(usedSwap) ? {} : { swap: percent(usedSwap, swap) }),
  };
}

function loadOf(loadavg: string): Pick<AgentVitals, 'load'> {
  const load = numbersOf(loadavg).slice(0, 3);
  return load.length === 3 ? { load } : {};
}

/** The first number of a text, under a name. */
function firstOf(name: 'fds' | 'uptime', text: string): Pick<AgentVitals, 'fds' | 'uptime'> {
  const [first] = numbersOf(text);
  return first === undefined ? {} : { [name]: Math.floor(first) };
}

/** TCP sockets in use, of both versions of IP. */
function tcpOf(texts: readonly string[]): Pick<AgentVitals, 'tcp'> {
  const counts = texts.flatMap((text) => /^TCP6?: inuse (\d+)/m.exec(text)?.[1] ?? []).map(Number);
  return counts.length === 0 ? {} : { tcp: sum(counts) };
}

/** Creates the reader. The share of the processors is that since the last call; the first call has none. */
export function createVitals({ findDisks, monotonicMs, proc = '/proc', spaceOf = statfs }: VitalsOptions): ReadVitals {
  let lastTimes: CpuTimes | undefined;
  let mounts: { readonly paths: readonly string[]; readonly atMs: number } | undefined;
  let disks: Disks = {};
  let reading: Promise<void> | undefined;

  async function mountPoints(): Promise<readonly string[]> {
    if (mounts === undefined || monotonicMs() - mounts.atMs >= MOUNTS_EVERY_MS) {
      const found = await findDisks().catch(() => []);
      mounts = { paths: found.filter(({ length }) => length <= PATH_MAX).slice(0, DISKS_MAX), atMs: monotonicMs() };
    }
    return mounts.paths;
  }

  async function readDisks(): Promise<void> {
    const read: [string, Disks[string]][] = [];
    for (const path of await mountPoints()) {
      // It may be unmounted since, or be hidden beneath another mount.
      const space = await spaceOf(path).catch(() => undefined);
      if (space === undefined) continue;
      const { bsize, blocks, bfree, bavail } = space;
      read.push([path, { used: (blocks - bfree) * bsize, free: bavail * bsize }]);
    }
    disks = Object.fromEntries(read);
  }

  function cpuSince(times: CpuTimes | undefined): Pick<AgentVitals, 'cpu'> {
    const last = lastTimes;
    lastTimes = times ?? last;
    if (times === undefined || last === undefined || times.total <= last.total) return {};
    const total = times.total - last.total;
    return { cpu: percent(total - (times.idle - last.idle), total) };
  }

  return async () => {
    reading ??= readDisks().finally(() => {
      reading = undefined;
    });
    await Promise.race([reading, pause(DISK_WAIT_MS, undefined, { ref: false })]);
    const read = (name: string) => beginningOf(join(proc, name));
    return {
      ...cpuSince(cpuTimes(read('stat'))),
      ...memoryOf(read('meminfo')),
      ...loadOf(read('loadavg')),
      cores: availableParallelism(),
      ...firstOf('uptime', read('uptime')),
      ...firstOf('fds', read('sys/fs/file-nr')),
      ...tcpOf([read('net/sockstat'), read('net/sockstat6')]),
      ...(Object.keys(disks).length === 0 ? {} : { disk: disks }),
    };
  };
}
