// One agent per folder: two would take each other's secret, and send every line twice.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '@quarterdeck/core/environment';
import { DIR_MODE, FILE_MODE } from './durable-file.ts';
import { StateError } from './state.ts';

/** Where in proc_pid_stat(5), counted behind the name in brackets, the time stands at which a process began. */
const STARTED_AT = 19;

/** Ended, though its parent has not asked yet how: in a container whose first process never asks, that stays so. */
const HAS_ENDED = 'ZX';

/** What tells a process from a later one of its number; '' where it does not run. */
async function processMark(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return pid === process.pid ? `${pid}` : '';
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return HAS_ENDED.includes(fields[0] ?? '') ? '' : `${pid} ${fields[STARTED_AT]}`;
}

/**
 * Takes the folder for this process. A lock whose process has ended is nobody's.
 *
 * @throws ConfigError where another agent has it
 * @throws StateError where it cannot be written
 */
export async function lockFolder(dir: string): Promise<void> {
  const path = join(dir, 'agent.lock');
  const own = await processMark(process.pid);
  for (;;) {
    try {
      await mkdir(dir, { recursive: true, mode: DIR_MODE });
      await writeFile(path, own, { flag: 'wx', mode: FILE_MODE });
      return;
    } catch (cause) {
      const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
      if (code !== 'EEXIST') throw new StateError(`cannot write ${path} (${code})`, { cause });
    }
    const holder = await readFile(path, 'utf8').catch(() => '');
    const pid = Number.parseInt(holder, 10);
    if (pid > 0 && pid !== process.pid && holder === (await processMark(pid))) {
      throw new ConfigError(`another agent (process ${pid}) uses ${dir}; stop it first`);
    }
    await rm(path, { force: true });
  }
}
