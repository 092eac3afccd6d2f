// Runs the upgrade command that the operator of this host configured. There is no shell; the version, in the
// environment, is the only input from outside.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { clean } from '../facts/clean.ts';
import { commandEnvironment, killGroup } from '../facts/exec.ts';
import type { Command } from '../settings/config-values.ts';
import type { OperationResult } from './operations.ts';

export interface HookOptions {
  readonly command: Command;
  /** Search path for commands. */
  readonly path: string;
  /** Passed as QUARTERDECK_UPGRADE_VERSION. */
  readonly version: string | undefined;
  /** Aborted at the deadline; then the command and its children are killed. */
  readonly signal: AbortSignal;
  /** Called for each line `progress 40 installing`. */
  readonly onProgress: (percent: number, detail: string) => void;
}

const DETAIL_MAX = 1_000;
const PROGRESS = /^progress (\d{1,2}|100)(?:\s+(.*))?$/;

/** Runs the command to its end; never rejects. */
export async function runHook({ command, path, version, signal, onProgress }: HookOptions): Promise<OperationResult> {
  const [program, ...words] = command;
  const { promise, resolve } = Promise.withResolvers<OperationResult>();
  const child = spawn(program, words, {
    cwd: '/',
    env: { ...commandEnvironment(path), ...(version === undefined ? {} : { QUARTERDECK_UPGRADE_VERSION: version }) },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let last = '';
  const read = (line: string): void => {
    const [, percent, detail = ''] = PROGRESS.exec(line) ?? [];
    if (percent !== undefined) onProgress(Number(percent), clean(detail, DETAIL_MAX));
    else last = clean(line, DETAIL_MAX / 2) || last;
  };
  createInterface({ input: child.stdout }).on('line', read);
  createInterface({ input: child.stderr }).on('line', read);
  const stop = (): void => {
    killGroup(child);
    resolve({ ok: false, detail: 'stopped: the deadline passed' });
  };
  const withLast = (how: string) => (last === '' ? how : `${how}: ${last}`);
  signal.addEventListener('abort', stop, { once: true });
  child.once('error', () => resolve({ ok: false, detail: 'cannot run the upgrade command' }));
  child.once('close', (code, killed) => {
    resolve({ ok: code === 0, detail: withLast(code === 0 ? 'done' : `ended with ${killed ?? code}`) });
  });
  const result = await promise;
  signal.removeEventListener('abort', stop);
  return result;
}
