import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { lockFolder } from '../src/files/folder-lock.ts';
import { holdLock, lockOf } from './held-lock.ts';
import { temporaryFolder } from './temporary.ts';

describe('the lock of a folder', () => {
  it('is refused while another process holds it, and free when that has ended', async () => {
    const dir = await temporaryFolder();
    const holder = await holdLock(dir);
    await expect(lockFolder(dir)).rejects.toThrow(`another agent (process ${holder.pid}) uses ${dir}; stop it first`);
    const gone = once(holder, 'exit');
    holder.kill('SIGKILL');
    await gone;
    await lockFolder(dir);
    expect(await readFile(join(dir, 'agent.lock'), 'utf8')).toBe(await lockOf(process.pid));
  });

  it('is not held by a killed process whose exit code was not read', async () => {
    const dir = await temporaryFolder();
    // `sleep` replaces the shell and never reads the exit code of the shell's child.
    const parent = spawn('sh', ['-c', 'sleep 0.01 & echo $!; exec sleep 60']);
    onTestFinished(() => void parent.kill('SIGKILL'));
    const [line] = await once(parent.stdout, 'data');
    const stat = () => readFile(`/proc/${Number(line)}/stat`, 'utf8');
    await expect.poll(stat).toContain(') Z ');
    await writeFile(join(dir, 'agent.lock'), await lockOf(Number(line)));
    await lockFolder(dir);
    expect(await readFile(join(dir, 'agent.lock'), 'utf8')).toBe(await lockOf(process.pid));
  });

  it.each(['1 99999999999', 'nonsense', ''])(
    'is not held by a later process with the same number: %j',
    async (text) => {
      const dir = await temporaryFolder();
      await writeFile(join(dir, 'agent.lock'), text);
      await lockFolder(dir);
      expect(await readFile(join(dir, 'agent.lock'), 'utf8')).toBe(await lockOf(process.pid));
    },
  );
});
