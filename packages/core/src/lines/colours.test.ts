import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutColours } from './colours.ts';
import { levelInText } from './level-in-text.ts';
import { levelOfName } from './level-names.ts';
import { cleanText } from './log-line.ts';

describe('withoutColours', () => {
  it.each([
    ['of a level', '\u001B[31mERROR\u001B[0m no', 'ERROR no'],
    ['of 256 and of 24 bits', '\u001B[38;5;196ma\u001B[38:2::1:2:3mb\u001B[m', 'ab'],
    ['and clears of lines', 'x\u001B[K\u001B[0Ky', 'xy'],
    ['as rsyslog escapes them', '#033[1;32minfo#033[0m: up', 'info: up'],
    ['but no other sequence and no bracket', '\u001B[2J [31m #033 x', '\u001B[2J [31m #033 x'],
    ['that are nested', '\u001B[\u001B[1m31mx', '[31mx'],
  ])('removes colours %s', (_, text, plain) => {
    expect(withoutColours(text)).toBe(plain);
  });

  it('changes nothing the second time', () => {
    const piece = fc.constantFrom('\u001B', '#033', '[', '3', '1', ';', 'm', 'K', 'x');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const once = withoutColours(pieces.join(''));
        expect(withoutColours(once)).toBe(once);
      }),
    );
  });

  it('copes with many beginnings of sequences', () => {
    const text = `${'\u001B['.repeat(5_000)}${'31m'.repeat(2_000)}`;
    expect(withoutColours(text)).not.toContain('\u001B');
  });

  it('is a part of the cleaning of stored texts, which leaves no text empty', () => {
    expect(cleanText('\u001B[31mred\u001B[0m')).toBe('red');
    expect(cleanText('\u001B[0m')).toBe('\u001B[0m');
  });
});

describe('levelOfName', () => {
  it.each([
    ['emergency EMERG', 1],
    ['panic PNC alert', 2],
    ['Fatal critical FTL dpanic crit', 3],
    ['SEVERE Err eror fail ERROR ERROR+2', 4],
    ['Warning wrn WARN', 5],
    ['notice note', 6],
    ['Information inf INFO success DEFAULT \u001B[32minfo\u001B[39m', 7],
    ['dbg Debug verbose Trace FINEST http DEBUG-4', 8],
  ])('knows %s', (names, level) => {
    for (const name of names.split(' ')) expect(levelOfName(name)).toBe(level);
  });

  it('knows no other word', () => {
    for (const name of ['', 'x', 'metadata', 'error5', 'x'.repeat(100)]) expect(levelOfName(name)).toBeUndefined();
  });
});

describe('levelInText', () => {
  it.each([
    ['java.util.logging', 'SEVERE: no', 4],
    ['Serilog', '[20:30:00 FTL] no', 3],
    ['zerolog', '8:30PM ERR no', 4],
    ['.NET console', 'fail: Microsoft.X[0]', 4],
    ['.NET console', 'dbug: Microsoft.X[0]', 8],
    ['log15', 't=2026-11-26T20:30:00+0000 lvl=eror msg=no', 4],
    ['klog', 'E1126 20:30:00.123456       1 reflector.go:1] no', 4],
    ['Glog with a year', 'W20261126 20:30:00.123456 1 a.cc:1] no', 5],
    ['Tornado', '[W 261126 20:30:00 web:123] 404 GET /', 5],
    ['Jupyter', '[C 2026-11-26 20:30:00.123 ServerApp] no', 3],
    ['Ruby', 'E, [2026-11-26T20:30:00.123456 #1] ERROR -- : no', 4],
    ['JSON that is cut', '{"time":1,"level":"warning","msg":"cut', 5],
  ])('reads %s: %s', (_, text, level) => {
    expect(levelInText(text)).toBe(level);
  });

  it.each(['using [http] (default) for this', 'all is fine: yes', '10:00:00 note the note', '[config] loaded'])(
    'takes no word of a message: %s',
    (text) => {
      expect(levelInText(text)).toBeUndefined();
    },
  );
});
