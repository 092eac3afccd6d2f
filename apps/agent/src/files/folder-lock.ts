// Allows one agent per folder: two would overwrite each other's secret and send every line twice.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '@quarterdeck/core/environment';
import { DIR_MODE, FILE_MODE } from './durable-file.ts';
import { codeOf } from './error-code.ts';
import { StateError } from './state.ts';

/** File that an agent holds while it uses its folder. */
export const LOCK_FILE = 'agent.lock';

/** Index of the start time in proc_pid_stat(5), counted after the name in parentheses. */
const STARTED_AT = 19;

/**
 * States of an ended process whose parent has not read its exit code. In a container whose first process never does,
 * the state stays.
 */
const HAS_ENDED = 'ZX';

/** Identifies a process beyond its number, which is reused; '' when it is not running. */
async function processMark(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return pid === process.pid ? `${pid}` : '';
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return HAS_ENDED.includes(fields[0] ?? '') ? '' : `${pid} ${fields[STARTED_AT]}`;
}

/**
 * Locks the folder for this process. A lock of an ended process does not count.
 *
 * @throws ConfigError when another agent holds the lock
 * @throws StateError when the lock cannot be written
 */
export async function lockFolder(dir: string): Promise<void> {
  const path = join(dir, LOCK_FILE);
  const own = await processMark(process.pid);
  for (;;) {
    try {
      await mkdir(dir, { recursive: true, mode: DIR_MODE });
      await writeFile(path, own, { flag: 'wx', mode: FILE_MODE });
      return;
    } catch (cause) {
      if (codeOf(cause) !== 'EEXIST') throw new StateError(`cannot write ${path} (${codeOf(cause)})`, { cause });
    }
    const holder = await readFile(path, 'utf8').catch(() => '');
    const pid = Number.parseInt(holder, 10);
    if (pid > 0 && pid !== process.pid && holder === (await processMark(pid))) {
      throw new ConfigError(`another agent (process ${pid}) uses ${dir}; stop it first`);
    }
    await rm(path, { force: true });
  }
}
