// Kills a process that upgrades itself at each change of the file system, or lets the change fail for want of space:
// the old version or the new one must run, and the next attempt must succeed.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { findProgram } from '../../../../test/programs.ts';
import { chooseProgram } from '../../src/upgrade/hand-over.ts';
import { temporaryFolder } from '../temporary.ts';
import { type Downloads, makeHost, publicText, startDownloads } from './downloads.ts';

const PROGRAM = fileURLToPath(new URL('upgrading-process.ts', import.meta.url));
const CALLS = 'mkdir,rename,unlink,fsync,fchmod,chmod,pwrite64';
const strace = findProgram('strace');
/** One thread for the files: strace counts the calls of each thread. */
const env = { ...process.env, UV_THREADPOOL_SIZE: '1' };

/** Runs a program to its end; true where it succeeded. */
const run = (program: string, args: readonly string[]): Promise<boolean> =>
  new Promise((resolve) => execFile(program, args, { env }, (error) => resolve(error === null)));

/** Upgrades a new host with one fault. Returns the version that runs then; undefined where no call was hit. */
async function upgradeWith(downloads: Downloads, fault: string, at: number): Promise<string | undefined> {
  const dir = await temporaryFolder();
  const host = await makeHost(downloads, '0.1.0', dir);
  const [node, ...args] = [process.execPath, PROGRAM, dir, downloads.url, publicText(downloads.key)];
  const trace = join(await temporaryFolder(), 'trace');
  const inject = `inject=${CALLS}:${fault}:when=${at}`;
  await run(strace ?? '', ['-f', '-o', trace, '-e', `trace=${CALLS}`, '-e', inject, node, ...args]);
  if (!/killed by SIGKILL|INJECTED/.test(await readFile(trace, 'utf8'))) return undefined;
  const said: string[] = [];
  const chosen = await chooseProgram({ ...host, say: (line) => said.push(line) });
  expect(said).toEqual([]);
  if (chosen !== undefined) expect(await host.folder.defectOf(chosen)).toBeUndefined();
  expect(await run(node, args)).toBe(true);
  expect(await host.folder.load()).toMatchObject({ current: { version: '0.2.0' }, refused: [] });
  return chosen?.version ?? '0.1.0';
}

it.skipIf(strace === undefined).each([
  ['a kill', 'signal=SIGKILL'],
  ['a lack of space', 'error=ENOSPC'],
])('runs the old version or the new one after %s at any step', { timeout: 600_000 }, async (_, fault) => {
  const downloads = await startDownloads();
  downloads.offer('0.2.0');
  const found: string[] = [];
  for (;;) {
    const version = await upgradeWith(downloads, fault, found.length + 1);
    if (version === undefined) break;
    found.push(version);
  }
  expect(found.length).toBeGreaterThanOrEqual(10);
  expect(new Set(found)).toEqual(new Set(['0.1.0', '0.2.0']));
});
