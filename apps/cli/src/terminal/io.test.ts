import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { ask, confirm, type Io } from './io.ts';

/** A terminal whose person types an answer once the question is shown. */
function terminal(typed: string) {
  const [stdin, stderr] = [new PassThrough(), new PassThrough()];
  let shown = '';
  stderr.on('data', (chunk) => {
    shown += chunk;
  });
  void once(stderr, 'data').then(() => stdin.write(typed));
  return { io: { stdin, stderr, stdout: stderr } as unknown as Io, shown: () => shown };
}

describe('a question', () => {
  it.each<[string, boolean]>([
    ['y\r', true],
    ['Yes\r', true],
    ['n\r', false],
    ['\r', false],
  ])('is answered by %j with %s', async (typed, expected) => {
    const { io, shown } = terminal(typed);
    expect(await confirm(io, 'Resolve 2 error groups?')).toBe(expected);
    expect(shown()).toContain('Resolve 2 error groups? [y/N]');
  });

  it('does not show a secret that is typed', async () => {
    const { io, shown } = terminal('hunter2\r');
    expect(await ask(io, 'Password of ann: ', 'hidden')).toBe('hunter2');
    expect(shown()).toBe('Password of ann: \n');
  });

  it('is interrupted without doing anything', async () => {
    const { io } = terminal('\u0003');
    await expect(ask(io, 'Username: ')).rejects.toThrow('Interrupted; nothing was done.');
  });
});
