import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import type { Input } from '../../src/terminal/input/splitter.ts';
import { bareText, ENTER, LEAVE, MOUSE_OFF, MOUSE_ON } from '../../src/terminal/modes.ts';
import { RealTerminal } from '../../src/terminal/real-terminal.ts';

const CLICK = '\u001B[<0;3;4M';
/** Sequence that takes over the terminal. */
const entered: string[] = [];

/** Streams that record calls. */
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
    if (text.startsWith(ENTER)) entered.push(text);
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
  it('notifies the painter of a key before the listeners', async () => {
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
        // The program's keys.
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

  it('cannot be lent twice', async () => {
    const { terminal } = open();
    await terminal.suspend(async () => {
      await expect(terminal.suspend(async () => undefined)).rejects.toThrow('already lent');
    });
  });

  it('is read from the first listener on, without losing earlier input', async () => {
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

  it('reports the mouse while switched on, also after it has been lent', async () => {
    const { terminal, stdin, done, heard } = open();
    stdin.write(CLICK);
    await turn();
    expect(heard).toEqual([]);
    terminal.setMouse(true);
    stdin.write(CLICK);
    await turn();
    expect(heard).toEqual([{ mouse: { kind: 'click', column: 2, row: 3 } }]);
    done.length = 0;
    await terminal.suspend(async () => undefined);
    await turn();
    expect(done.filter((what) => what === MOUSE_ON || what === 'enter')).toEqual(['enter']);
    expect(ENTER + MOUSE_ON).toBe(entered.at(-1));
    terminal.setMouse(false);
    await turn();
    expect(done.at(-1)).toBe(MOUSE_OFF);
  });

  it('shows bare text until the next key, which no listener gets', async () => {
    const { terminal, stdin, done, heard } = open();
    await turn();
    done.length = 0;
    terminal.bare(['one', 'two']);
    await turn();
    expect(done[0]).toBe('no paint');
    expect(done[1]).toContain('one\r\ntwo');
    stdin.write('x');
    await turn();
    expect(heard).toEqual([]);
    expect(done.at(-1)).toBe('paint');
    stdin.write('y');
    await turn();
    expect(heard).toEqual([{ text: 'y' }]);
  });
});

describe('bare text', () => {
  it.each([
    ['as many lines as there is room for', ['a', 'b', 'c', 'd'], 4, ['a', 'b']],
    ['a long line by all the rows it takes', ['x'.repeat(25), 'b'], 5, ['x'.repeat(25)]],
    ['nothing that would not be whole', ['x'.repeat(100), 'b'], 5, []],
  ])('has %s', (_what, lines, rows, shown) => {
    const text = bareText(lines, { columns: 10, rows });
    expect(text).toContain(`\u001B[2J${shown.join('\r\n')}\u001B[${rows}H`);
  });
});
