// Runs the bundle as it is copied to a host: one file, without an extension, with nothing beside it.
import { execFile } from 'node:child_process';
import { chmod, copyFile, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { startFakeConsole } from './fake-console.ts';
import { ENROLL_TOKEN } from './running-agent.ts';
import { temporaryFolder } from './temporary.ts';

const BUILT = fileURLToPath(new URL('../dist/quarterdeck-agent.mjs', import.meta.url));

it('enrolls from an empty folder, and prints its version', async () => {
  const server = await startFakeConsole();
  const folder = await temporaryFolder();
  const program = join(folder, 'quarterdeck-agent');
  await copyFile(BUILT, program);
  await chmod(program, 0o755);
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    // Found as `env node` finds it.
    promisify(execFile)(program, args, { env: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, ...env } });

  expect((await run(['--version'])).stdout).toMatch(/^quarterdeck-agent (?!0\.0\.0)\d+\.\d+\.\d+\n$/);
  const settings = { QUARTERDECK_AGENT_DIR: join(folder, 'state'), QUARTERDECK_ENROLL_TOKEN: ENROLL_TOKEN };
  const { stdout } = await run(['enroll', '--server', server.url], settings);
  expect(stdout).toBe(`enrolled at ${server.url} as agent 7\n`);
  expect(await readdir(folder)).toEqual(['quarterdeck-agent', 'state']);
});
