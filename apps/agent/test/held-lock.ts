// The lock of an agent's folder, as another process holds it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Content of the lock of a process: its number, and its start time of proc_pid_stat(5). */
export async function lockOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  return `${pid} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
}

/** Locks a folder for another process, which ends with the test. */
export async function holdLock(dir: string): Promise<ChildProcess> {
  const holder = spawn('sleep', ['60']);
  onTestFinished(() => void holder.kill('SIGKILL'));
  await once(holder, 'spawn');
  await writeFile(join(dir, 'agent.lock'), await lockOf(holder.pid ?? 0));
  return holder;
}
