// The line that `pnpm tui` shows while it builds the dashboard for the first time.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startPty } from './pty.ts';

const SCRIPT = fileURLToPath(new URL('../../../../scripts/build-program.ts', import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quarterdeck-first-build-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Writes a stand-in for turbo, which ends when the file `go` exists, and returns the environment that finds it. */
function fakeTurbo(result: string): { PATH: string } {
  const turbo = join(folder, 'turbo');
  writeFileSync(turbo, `#!/bin/sh\nwhile [ ! -e '${join(folder, 'go')}' ]; do sleep 0.05; done\n${result}\n`);
  chmodSync(turbo, 0o755);
  return { PATH: `${folder}${delimiter}${process.env['PATH']}` };
}

const build = (result: string) =>
  startPty({ command: [process.execPath, SCRIPT, 'dashboard'], env: fakeTurbo(result) });

it('moves while the build goes on, and is gone afterwards', async () => {
  await using built = build('echo noise');
  for (const frame of ['|', '/', '-', '\\']) await built.waitForText(`${frame} Building the dashboard: `);
  writeFileSync(join(folder, 'go'), '');
  expect((await built.exit).exitCode).toBe(0);
  await built.waitFor('an empty screen', () => built.text().trim() === '');
});

it('shows the output of a build that failed', async () => {
  writeFileSync(join(folder, 'go'), '');
  await using built = build('echo "a type is wrong"; exit 3');
  await built.waitForText('a type is wrong');
  expect((await built.exit).exitCode).toBe(3);
});

it('leaves standard output to the program, and is one line where there is no terminal', () => {
  writeFileSync(join(folder, 'go'), '');
  const env = { ...process.env, ...fakeTurbo('echo noise') };
  const { stdout, stderr } = spawnSync(process.execPath, [SCRIPT, 'dashboard'], { env, encoding: 'utf8' });
  expect(stdout).toBe('');
  expect(stderr).toBe('Building the dashboard.\n');
});
