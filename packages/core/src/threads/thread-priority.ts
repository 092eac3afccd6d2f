// Priority of the threads that store and pack lines. Where processors are short, the thread that answers comes first:
// otherwise each refusal of a flood would wait behind the work of those that were admitted.
import { readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** Nice value of threads that store and pack lines: a third of the weight of the main thread. */
export const STORING_NICE = 5;

/** Lowers the priority of the calling thread, and of no other. Only Linux has priorities of threads. */
export function yieldToMainThread(): void {
  if (process.platform !== 'linux') return;
  try {
    // `<pid>/task/<tid>`; for Linux, the number of a thread names that thread alone.
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    if (thread !== process.pid) setPriority(thread, Math.max(getPriority(thread), STORING_NICE));
  } catch {
    // Without /proc, or without the right: all threads stay equal.
  }
}
