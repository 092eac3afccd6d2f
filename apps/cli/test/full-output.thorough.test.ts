// The built programs where nobody takes their output.
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../test/non-empty.ts';
import { programEnvironment } from '../../server/test/program-environment.ts';

const PROGRAMS = [
  ['quarterdeck', '../dist/main.js', ['--version']],
  ['quarterdeck', '../dist/main.js', ['help']],
  ['quarterdeck', '../dist/main.js', ['completion', 'bash']],
  ['quarterdeckd', '../../server/dist/main.js', ['--version']],
  ['quarterdeckd', '../../server/dist/main.js', ['token', 'generate']],
  ['quarterdeck-agent', '../../agent/dist/quarterdeck-agent.mjs', ['--help']],
] as const;

const isThere = (path: string) => existsSync(fileURLToPath(new URL(path, import.meta.url)));

describe.skipIf(!existsSync('/dev/full') || !PROGRAMS.every(([, path]) => isThere(path)))('a full output', () => {
  it.each(nonEmpty(PROGRAMS))('ends %s with one line and 74: %s %j', (name, path, args) => {
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, [fileURLToPath(new URL(path, import.meta.url)), ...args], {
      env: programEnvironment(),
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    });
    closeSync(full);
    expect(stderr).toMatch(new RegExp(`^${name}: standard output cannot be written: ENOSPC[^\\n]*\\n$`));
    expect(status).toBe(74);
  });

  it.each(nonEmpty(PROGRAMS))('is silent for a reader that has gone: %s %s %j', (_, path, args) => {
    const command = `"$0" "$@" | true; echo "\${PIPESTATUS[0]}"`;
    const words = [process.execPath, fileURLToPath(new URL(path, import.meta.url)), ...args];
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', command, ...words], {
      env: programEnvironment(),
      encoding: 'utf8',
    });
    expect({ stdout, stderr }).toEqual({ stdout: '0\n', stderr: '' });
  });
});
