import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createBackgroundPrograms } from './background-programs.ts';

const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-background-'));
afterAll(() => rmSync(folder, { recursive: true }));
const shell = (script: string, ...args: string[]): readonly string[] => ['/bin/sh', '-c', script, 'sh', ...args];

describe('a program in the background', () => {
  it.each([
    [shell('exit 0'), true, 'exit code 0.'],
    [shell('echo; echo "$1" >&2; echo second >&2; exit 3', '\u001B[2Jbroken'), false, 'exit code 3: ␛[2Jbroken'],
    [shell('kill -TERM $$'), false, 'ended by SIGTERM.'],
    [[join(folder, 'none')], false, 'Program not found.'],
    [['/bin/echo', 'x'.repeat(3_000_000)], false, 'The program cannot be started (E2BIG).'],
  ])('tells its end: %j', async (words, isDone, text) => {
    expect(await createBackgroundPrograms().run(words)).toEqual({ isDone, text });
  });

  it('may write without end, of which little is kept', async () => {
    const { text } = await createBackgroundPrograms().run(shell('head -c 3000000 /dev/zero | tr "\\0" x >&2'));
    expect(text).toBe(`exit code 0: ${'x'.repeat(200)}`);
  });

  it('ends with the dashboard, and what it started too', async () => {
    const programs = createBackgroundPrograms();
    const beat = join(folder, 'beat');
    const ended = programs.run(shell('trap "" TERM; while :; do touch "$1"; sleep 0.02; done & wait; sleep 60', beat));
    await expect.poll(() => existsSync(beat)).toBe(true);
    await programs.end();
    expect(await ended).toEqual({ isDone: false, text: 'ended by SIGKILL.' });
    rmSync(beat, { force: true });
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(existsSync(beat)).toBe(false);
  });

  it('is refused where too many run', async () => {
    const programs = createBackgroundPrograms();
    const ends = Array.from({ length: 8 }, () => programs.run(['/bin/sleep', '60']));
    expect(await programs.run(['/bin/true'])).toMatchObject({
      isDone: false,
      text: expect.stringMatching(/^8 programs/),
    });
    await programs.end();
    await Promise.all(ends);
    expect(await programs.run(['/bin/true'])).toMatchObject({ isDone: true });
  });
});
