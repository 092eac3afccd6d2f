// The calls to the file system that durable files and the spool need. The simulation in test/sim has its own disk.
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';

/** An open file or folder. */
export interface DiskFile extends AsyncDisposable {
  writeFile(content: string | Uint8Array): Promise<void>;
  /** Seconds. */
  utimes(accessed: number, modified: number): Promise<void>;
  /** Returns once the content of a file, or the names in a folder, survive a loss of power. */
  sync(): Promise<void>;
}

/** Each function works as its namesake in `node:fs/promises`. */
export interface Disk {
  mkdir(path: string, options: { recursive: true; mode: number }): Promise<unknown>;
  open(path: string, flags: 'r' | 'wx', mode?: number): Promise<DiskFile>;
  readdir(path: string): Promise<string[]>;
  readFile(path: string): Promise<Buffer>;
  rename(from: string, to: string): Promise<void>;
  rm(path: string, options: { force: true }): Promise<void>;
}

/** The disk of the operating system. */
export const SYSTEM_DISK: Disk = {
  mkdir,
  open,
  readdir: (path) => readdir(path),
  readFile: (path) => readFile(path),
  rename,
  rm,
};
