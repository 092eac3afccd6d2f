import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '@quarterdeck/core/environment';
import { describe, expect, it, onTestFinished } from 'vitest';
import { lockFolder } from '../src/folder-lock.ts';
import { temporaryFolder } from './temporary.ts';

describe('the lock of a folder', () => {
  it('is refused while another process has it, and is nobody’s when that has ended', async () => {
    const dir = await temporaryFolder();
    const script = `import('${new URL('../src/folder-lock.ts', import.meta.url)}').then(async ({ lockFolder }) => {
      await lockFolder(process.argv[1]); console.log('locked'); setInterval(() => {}, 1000); });`;
    const other = spawn(process.execPath, ['--conditions=@quarterdeck/source', '-e', script, dir]);
    onTestFinished(() => void other.kill('SIGKILL'));
    await once(other.stdout, 'data');
    await expect(lockFolder(dir)).rejects.toThrow(ConfigError);
    const gone = once(other, 'exit');
    other.kill('SIGKILL');
    await gone;
    await lockFolder(dir);
    expect(await readFile(join(dir, 'agent.lock'), 'utf8')).toMatch(new RegExp(`^${process.pid}\\b`));
  });

  it('is not held by a process that only has the number of its holder', async () => {
    const dir = await temporaryFolder();
    await writeFile(join(dir, 'agent.lock'), '1 99999999999');
    await lockFolder(dir);
    await writeFile(join(dir, 'agent.lock'), 'nonsense');
    await lockFolder(dir);
  });
});
