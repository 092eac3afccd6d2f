// Finds the processes that run a program, with or without the rights to see their executables.
import { readdir, readlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Files } from '../facts/files.ts';
import { filesBelow } from '../facts/files.ts';

/** A process that runs a program. */
export interface RunningProcess {
  /** Path of its executable in `/proc`; absent without the right to see it. */
  readonly exe?: string;
  /** Seconds since its start. */
  readonly ageS: number;
}

const PROCESSES_MAX = 10_000;
/** The unit of times in `/proc`, the same on all platforms. */
const TICKS_A_SECOND = 100;
/** The kernel cuts the names of processes. */
const NAME_MAX = 15;

/** Reports whether a process is of this host, not of a container, which has a number of its own for it. */
const isOfHost = (status: string): boolean => !/^NSpid:\t\d+\t/m.test(status);

/** Reads the age of a process; see proc_pid_stat(5). Its name may have spaces and parentheses. */
function ageOf(stat: string, uptimeS: number): number {
  const [, fields = ''] = /.*\) (.*)/s.exec(stat) ?? [];
  return uptimeS - Number(fields.split(' ')[19]) / TICKS_A_SECOND;
}

/** The program of a process by its command line. nginx and others write a title in front of it. */
function programIn(commandLine: string, paths: ReadonlySet<string>): string | undefined {
  return commandLine.split(/[\0 ]/).find((word) => paths.has(word));
}

async function describe(
  files: Files,
  proc: string,
  id: string,
  { paths, names }: { readonly paths: ReadonlySet<string>; readonly names: ReadonlySet<string> },
  uptimeS: number,
): Promise<[path: string, RunningProcess] | undefined> {
  const exe = join(proc, id, 'exe');
  const link = await readlink(exe).catch(() => '');
  let path: string | undefined = link.replace(/ \(deleted\)$/, '');
  if (link === '') {
    if (!names.has((await files.text(`${id}/comm`)).trim())) return undefined;
    path = programIn(await files.text(`${id}/cmdline`), paths);
  }
  if (path === undefined || !paths.has(path) || !isOfHost(await files.text(`${id}/status`))) return undefined;
  return [path, { ...(link === '' ? {} : { exe }), ageS: ageOf(await files.text(`${id}/stat`), uptimeS) }];
}

/** Finds the processes of this host that run one of the programs. `proc` is `/proc` outside tests. */
export async function findRunning(proc: string, paths: ReadonlySet<string>): Promise<Map<string, RunningProcess[]>> {
  const files = filesBelow(proc);
  const uptimeS = Number.parseFloat(await files.text('uptime'));
  const programs = { paths, names: new Set([...paths].map((path) => basename(path).slice(0, NAME_MAX))) };
  const running = new Map<string, RunningProcess[]>();
  const ids = (await readdir(proc).catch(() => [])).filter((name) => /^\d+$/.test(name)).slice(0, PROCESSES_MAX);
  for (const id of ids) {
    const [path, found] = (await describe(files, proc, id, programs, uptimeS)) ?? [];
    if (path !== undefined && found !== undefined) running.set(path, [...(running.get(path) ?? []), found]);
  }
  return running;
}
