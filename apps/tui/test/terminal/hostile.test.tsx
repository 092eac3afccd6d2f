// The compositor writes only visible graphemes and its own few sequences, whatever text reaches it.
import fc from 'fast-check';
import { Box, Text as InkText } from 'ink';
import { describe, expect, it } from 'vitest';
import { ANY_CHARACTER } from '../../../../packages/core/test/any-character.ts';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { atMost } from '../../../../test/thoroughness.ts';
import { Rows } from '../../src/components/lines.tsx';
import { Runs } from '../../src/components/text.tsx';
import { stage } from './stage.tsx';

// Sequences of the compositor: synchronised updates, positions, clearing to the end of a row, styles, margins, and
// scrolls by line feed or reverse index. The styles 5 and 6 (blinking) and 8 (hiding) are not among them.
const OWN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is about control sequences
  /\u001B\[\?2026[hl]|\u001B\[\d+(?:;\d+)?H|\u001B\[\d*G|\u001B\[K|\u001B\[(?:\d+;\d+r\u001B\[\d+H(?:\n+|(?:\u001BM)+)\u001B\[r)|\u001B\[(?:(?:0|1|2|3|4|7|9|2[2-9]|[34][0-79]|9[0-7]|10[0-7]|[34]8;5;\d+|[34]8;2;\d+;\d+;\d+)(?:;(?=\d)|(?=m)))*m/g;
const NEVER = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** Returns the forbidden output; empty if there is none. */
const foreign = (sent: string): string => JSON.stringify(NEVER.exec(sent.replaceAll(OWN, ''))?.[0] ?? '').slice(1, -1);

// Hostile log lines.
const CASES: readonly (readonly [what: string, text: string])[] = [
  ['a title', '\u001B]0;owned\u0007'],
  ['a link', '\u001B]8;;http://evil.test\u001B\\click\u001B]8;;\u001B\\'],
  ['the clipboard', '\u001B]52;c;cm0gLXJmIC8=\u0007'],
  ['clearing the screen', '\u001B[2J\u001B[H'],
  ['hidden text', '\u001B[8mpassword\u001B[28m'],
  ['blinking text', '\u001B[5;6mlook\u001B[m'],
  ['a question to the terminal', '\u001B[6n\u001B[c\u001B[?1$p'],
  ['the alternate screen', '\u001B[?1049l\u001B[?25h'],
  ['a device string', '\u001BP$qm\u001B\\\u001B_x\u001B\\\u001B^y\u001B\\'],
  ['an unfinished sequence', 'a\u001B[31'],
  ['a lone escape', 'a\u001B'],
  ['8-bit controls', '\u009B31mred\u009D0;x\u009C\u0090q\u009C'],
  ['bell, backspace, return, vertical tab', 'a\u0007b\u0008c\rd\u000Be\u0000f\u007F'],
  ['direction overrides', 'exe.\u202Egnp.txt\u202C \u2066x\u2069 \u200F\u061C'],
  ['zero-width characters', 'pay\u200Bpal\u200D\u2060\uFEFF'],
  ['tags', 'flag\u{E0067}\u{E007F}'],
  ['marks without end', `z${'\u0301'.repeat(500)}`],
  ['marks at the beginning', '\u0301\u0489x'],
  ['halves of a pair', 'a\uD83Db\uDC4D'],
  ['noncharacters and private use', '\uFFFE\uFFFF\uE000\u{10FFFD}'],
  ['line and paragraph separators', 'a\u2028b\u2029c'],
  ['a sequence that only comes about by cleaning', '\u001B\u0007[2J'],
  ['what marks regions in frames', '\u001B[38;2;1;254;0m........\u001B[39m'],
];

const SIZE = { columns: 40, rows: 8 };

/** The text in a region, in a text component, and directly in Ink. */
const everywhere = (text: string) => (
  <Box flexDirection="column" width={40} height={8} overflow="hidden">
    <Rows lines={[[{ text }, { text: `after ${text}`, tone: 'bad' }], [{ text: 'next' }]]} width={40} height={3} />
    <Box height={1} overflow="hidden">
      <Runs runs={[{ text }, { text: 'after', tone: 'key' }]} />
    </Box>
    <Box height={2} overflow="hidden">
      <InkText color="red">{text}</InkText>
    </Box>
  </Box>
);

async function send(text: string): Promise<string> {
  const on = stage(SIZE);
  try {
    await on.show(everywhere('plain'));
    let sent = on.sent();
    await on.show(everywhere(text));
    sent += on.sent();
    await on.show(everywhere(`${text}${text}`));
    return sent + on.sent();
  } finally {
    on.end();
  }
}

describe('hostile text', () => {
  it.each(nonEmpty(CASES))('%s', async (_what, text) => {
    expect(foreign(await send(text))).toBe('');
  });

  it('is made harmless, whatever its kind', { timeout: 120_000 }, async () => {
    const part = fc.oneof(
      fc.string({ unit: ANY_CHARACTER }),
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(...CASES.map(([, text]) => text)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
        expect(foreign(await send(parts.join('')))).toBe('');
      }),
      { numRuns: Number(process.env['QUARTERDECK_TEST_RUNS'] ?? atMost(5, 40)), seed: 6 },
    );
  });

  it('differs from our own sequences', () => {
    for (const [what, text] of CASES) {
      if (what.startsWith('what marks')) continue;
      expect(foreign(text), what).not.toBe(what.startsWith('marks') ? ' ' : '');
    }
  });
});
