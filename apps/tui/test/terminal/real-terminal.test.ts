import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import type { Input } from '../../src/keys/splitter.ts';
import { ENTER, LEAVE } from '../../src/terminal/modes.ts';
import { RealTerminal } from '../../src/terminal/real-terminal.ts';

/** Streams that write down what is done with them. */
function streams() {
  const done: string[] = [];
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode(raw: boolean) {
      done.push(raw ? 'raw' : 'cooked');
    },
  });
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24, fd: -1 });
  stdout.on('data', (chunk) => {
    const text = String(chunk);
    done.push(text === LEAVE ? 'leave' : text.startsWith(ENTER) ? 'enter' : text);
  });
  return { stdin, stdout, done };
}

const painter = (done: string[]) => ({
  start: () => void done.push('paint'),
  stop: () => void done.push('no paint'),
  urgent: () => void done.push('urgent'),
});

const opened: RealTerminal[] = [];
afterEach(async () => {
  for (const terminal of opened.splice(0)) await terminal.close();
});

function open() {
  const { stdin, stdout, done } = streams();
  const terminal = new RealTerminal({ stdin, stdout } as never);
  opened.push(terminal);
  terminal.open('skeleton');
  terminal.setPainter(painter(done));
  const heard: Input[] = [];
  terminal.onInput((inputs) => void heard.push(...inputs));
  return { terminal, stdin, done, heard };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the real terminal', () => {
  it('tells the painter of a key before anybody hears it', async () => {
    const { stdin, done, heard } = open();
    stdin.write('j');
    await turn();
    expect(heard).toEqual([{ text: 'j' }]);
    expect(done.at(-1)).toBe('urgent');
  });

  it.each([
    ['ends', async () => 'edited', 'edited'],
    [
      'fails',
      async () => {
        throw new Error('no such editor');
      },
      'no such editor',
    ],
  ])('is another program’s while that runs, and ours again when it %s', async (_how, program, result) => {
    const { terminal, stdin, done, heard } = open();
    await turn();
    done.length = 0;
    const outcome = await terminal
      .suspend(async () => {
        done.push('program');
        // Its keys, not ours.
        stdin.write('ignored');
        await turn();
        stdin.read();
        return program();
      })
      .catch((error: Error) => error.message);
    await turn();
    expect(outcome).toBe(result);
    expect(done.filter((what) => !what.startsWith('skel'))).toEqual([
      'no paint',
      'cooked',
      'leave',
      'cooked',
      'program',
      'raw',
      'enter',
      'raw',
      'paint',
    ]);
    expect(heard).toEqual([]);
    stdin.write('k');
    await turn();
    expect(heard).toEqual([{ text: 'k' }]);
  });

  it('is not handed over twice', async () => {
    const { terminal } = open();
    await terminal.suspend(async () => {
      await expect(terminal.suspend(async () => undefined)).rejects.toThrow('handed over already');
    });
  });

  it('is not read before somebody listens, and nothing is lost until then', async () => {
    const { stdin, stdout } = streams();
    const terminal = new RealTerminal({ stdin, stdout } as never);
    opened.push(terminal);
    terminal.open();
    stdin.write('typed ahead');
    await turn();
    const heard: Input[] = [];
    terminal.onInput((inputs) => void heard.push(...inputs));
    await turn();
    expect(heard).toEqual([{ text: 'typed ahead' }]);
  });
});
