import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '@quarterdeck/core/environment';
import { describe, expect, it, onTestFinished } from 'vitest';
import { lockFolder } from '../src/folder-lock.ts';
import { temporaryFolder } from './temporary.ts';

describe('the lock of a folder', () => {
  it('is refused while another process holds it, and free when that has ended', async () => {
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

  it('is not held by a killed process whose exit code was not read', async () => {
    const dir = await temporaryFolder();
    // `sleep` replaces the shell and never reads the exit code of the shell's child.
    const parent = spawn('sh', ['-c', 'sleep 0.01 & echo $!; exec sleep 60']);
    onTestFinished(() => void parent.kill('SIGKILL'));
    const [line] = await once(parent.stdout, 'data');
    const stat = () => readFile(`/proc/${Number(line)}/stat`, 'utf8');
    await expect.poll(stat).toContain(') Z ');
    await writeFile(join(dir, 'agent.lock'), `${Number(line)} ${(await stat()).split(') ')[1]?.split(' ')[19]}`);
    await lockFolder(dir);
  });

  it('is not held by a later process with the same number', async () => {
    const dir = await temporaryFolder();
    await writeFile(join(dir, 'agent.lock'), '1 99999999999');
    await lockFolder(dir);
    await writeFile(join(dir, 'agent.lock'), 'nonsense');
    await lockFolder(dir);
  });
});
