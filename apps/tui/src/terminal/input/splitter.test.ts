import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../../test/non-empty.ts';
import { type Input, Splitter } from './splitter.ts';

const ESC = '\u001B';

/** Input of the chunks, and of the rest when nothing more comes. */
function read(...chunks: string[]): Input[] {
  const splitter = new Splitter();
  return [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.flush()];
}

/** Joins text that came in pieces. */
function joined(inputs: readonly Input[]): Input[] {
  const result: Input[] = [];
  for (const input of inputs) {
    const last = result.at(-1);
    if ('text' in input && last !== undefined && 'text' in last)
      result[result.length - 1] = { text: last.text + input.text };
    else result.push(input);
  }
  return result;
}

const stroke = (name: string): Input => ({ stroke: name });

const click = (column: number, row: number): Input => ({ mouse: { kind: 'click', column, row } });
const wheel = (by: 1 | -1): Input => ({ mouse: { kind: 'wheel', by, column: 2, row: 3 } });

describe('the splitter', () => {
  it.each<[what: string, sent: string, inputs: Input[]]>(
    nonEmpty([
      ['a letter', 'j', [{ text: 'j' }]],
      ['several letters at once', 'jjj', [{ text: 'jjj' }]],
      ['text of several bytes', 'é漢👍', [{ text: 'é漢👍' }]],
      ['a line typed at once', 'admin\tpass\r', [{ text: 'admin' }, stroke('tab'), { text: 'pass' }, stroke('enter')]],
      ['line ends of three kinds', 'a\r\nb\nc\r', ['a', 'b', 'c'].flatMap((text) => [{ text }, stroke('enter')])],
      [
        'control keys',
        '\u0001\u0004\u001A\u001C\u0000',
        ['a', 'd', 'z', '\\', 'space'].map((key) => stroke(`ctrl+${key}`)),
      ],
      ['both kinds of backspace', '\u007F\u0008', [stroke('backspace'), stroke('backspace')]],
      ['the escape key', ESC, [stroke('escape')]],
      ['the escape key twice', ESC + ESC, [stroke('escape'), stroke('escape')]],
      ['the escape key and a letter', `${ESC}f`, [stroke('alt+f')]],
      ['Alt and what begins sequences', `${ESC}[`, [stroke('alt+[')]],
      ['Alt and Enter', `${ESC}\r`, [stroke('alt+enter')]],
      ['arrows', `${ESC}[A${ESC}[B${ESC}OC${ESC}OD`, ['up', 'down', 'right', 'left'].map(stroke)],
      [
        'arrows with modifiers',
        `${ESC}[1;2C${ESC}[1;5D${ESC}[1;3A`,
        ['shift+right', 'ctrl+left', 'alt+up'].map(stroke),
      ],
      ['Alt as escape before a sequence', `${ESC}${ESC}[A`, [stroke('alt+up')]],
      ['home and end of four kinds', `${ESC}[H${ESC}[1~${ESC}[7~${ESC}OF`, ['home', 'home', 'home', 'end'].map(stroke)],
      [
        'pages, insert, delete',
        `${ESC}[5~${ESC}[6~${ESC}[2~${ESC}[3~`,
        ['pageup', 'pagedown', 'insert', 'delete'].map(stroke),
      ],
      ['Shift-Tab', `${ESC}[Z`, [stroke('shift+tab')]],
      ['F1 to F4', `${ESC}OP${ESC}[Q${ESC}[13~${ESC}[[D`, ['f1', 'f2', 'f3', 'f4'].map(stroke)],
      ['F5 to F12', `${ESC}[15~${ESC}[17~${ESC}[23~${ESC}[24~`, ['f5', 'f6', 'f11', 'f12'].map(stroke)],
      ['F keys with modifiers', `${ESC}[1;2R${ESC}[15;5~`, [stroke('shift+f3'), stroke('ctrl+f5')]],
      ['the keypad', `${ESC}Oq${ESC}Ok${ESC}OM`, [{ text: '1' }, { text: '+' }, stroke('enter')]],
      ['kitty: control and escape', `${ESC}[100;5u${ESC}[27u`, [stroke('ctrl+d'), stroke('escape')]],
      ['kitty: shift and its text', `${ESC}[97;2u${ESC}[49;2;33u`, [{ text: 'A' }, { text: '!' }]],
      ['kitty: a key let go', `${ESC}[106;1:3u${ESC}[1;1:3A`, []],
      ['modified keys of xterm', `${ESC}[27;5;13~`, [stroke('ctrl+enter')]],
      ['a paste', `${ESC}[200~rm -rf /\nq${ESC}[201~j`, [{ paste: 'rm -rf /\nq' }, { text: 'j' }]],
      ['a paste with escapes in it', `${ESC}[200~a${ESC}[Ab${ESC}[201~`, [{ paste: `a${ESC}[Ab` }]],
      ['a paste without an end', `${ESC}[200~never`, [{ paste: 'never' }]],
      ['mouse reports of old', `x${ESC}[M !!y`, [{ text: 'x' }, { text: 'y' }]],
      ['a click, and letting go', `${ESC}[<0;10;5M${ESC}[<0;10;5mx`, [click(9, 4), { text: 'x' }]],
      ['a click with a key held', `${ESC}[<16;1;1M`, [click(0, 0)]],
      ['the wheel', `${ESC}[<64;3;4M${ESC}[<65;3;4M`, [wheel(-1), wheel(1)]],
      [
        'other buttons, motion, nonsense',
        `${ESC}[<2;1;1M${ESC}[<35;1;1M${ESC}[<0;0;1M${ESC}[<0;1M${ESC}[<;;Mx`,
        [{ text: 'x' }],
      ],
      ['focus reports', `${ESC}[Ia${ESC}[O`, [{ text: 'a' }]],
      ['where the cursor is', `${ESC}[12;40R`, []],
      ['what the terminal is', `${ESC}[?62;22c${ESC}P>|xterm(390)${ESC}\\z`, [{ text: 'z' }]],
      ['its colours', `${ESC}]11;rgb:1e1e/1e1e/1e1e\u0007${ESC}]10;rgb:f/f/f${ESC}\\k`, [{ text: 'k' }]],
      ['an unknown sequence', `${ESC}[99~${ESC}[5;6;7tj`, [{ text: 'j' }]],
      ['C1 controls', '\u009B1Aj', [{ text: '1Aj' }]],
    ]),
  )('%s', (_what, sent, inputs) => {
    expect(joined(read(sent))).toEqual(joined(inputs));
  });

  it('recognises every key in any chunks', () => {
    const keys = [
      'j',
      'jjj',
      '\r',
      `${ESC}[A`,
      `${ESC}OP`,
      `${ESC}[1;5D`,
      `${ESC}[24~`,
      `${ESC}[<35;10;5M`,
      `${ESC}]11;rgb:1/2/3\u0007`,
      `${ESC}[200~pasted\ntext${ESC}[201~`,
      `${ESC}[97;5u`,
      `${ESC}x`,
      '漢',
    ];
    const anything = fc.array(fc.constantFrom(...keys), { maxLength: 12 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(anything, fc.array(fc.nat(120), { maxLength: 8 }), (sent, cuts) => {
        const places = [0, ...cuts.filter((cut) => cut < sent.length).sort((a, b) => a - b), sent.length];
        const chunks = places.slice(1).map((end, index) => sent.slice(places[index], end));
        expect(joined(read(...chunks))).toEqual(joined(read(sent)));
      }),
    );
  });

  it('never turns sequences into text', () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom(ESC, '[', '<', 'M', 'O', ']', '\u0007', '200~', '201~', ';', '\u009B'),
    );
    fc.assert(
      fc.property(fc.array(piece), (chunks) => {
        for (const input of read(...chunks)) {
          if ('text' in input) expect(input.text).toMatch(/^[^\p{Cc}]+$/u);
          else if ('stroke' in input) expect(input.stroke).toMatch(/^[^\p{Cc}]+$/u);
        }
      }),
    );
  });

  it('limits the length of unfinished input', () => {
    const splitter = new Splitter();
    splitter.push(`${ESC}]11;`);
    for (let index = 0; index < 300; index += 1) splitter.push('x'.repeat(8_192));
    expect(splitter.unfinished).toBe('nothing');
  });
});
