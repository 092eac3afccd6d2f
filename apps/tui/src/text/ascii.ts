// For terminals that can show nothing but ASCII: our own glyphs in its characters, one column for one column.

const GLYPHS: Readonly<Record<string, string>> = {
  '●': '*',
  '○': 'o',
  '◐': '%',
  '✖': 'X',
  '▲': '^',
  '△': '^',
  '▼': 'v',
  '◆': '+',
  '◇': '+',
  '·': '.',
  '•': '*',
  '…': '~',
  '▌': '>',
  '›': '>',
  '‹': '<',
  '»': '>',
  '→': '>',
  '←': '<',
  '↑': '^',
  '↓': 'v',
  '✓': '+',
  '✗': 'x',
  '–': '-',
  '─': '-',
  '━': '=',
  '╸': '=',
  '│': '|',
  '┃': '#',
  '┌': '+',
  '┐': '+',
  '└': '+',
  '┘': '+',
  '├': '+',
  '┤': '+',
  '╭': '+',
  '╮': '+',
  '╰': '+',
  '╯': '+',
  '█': '#',
  '▇': '#',
  '▆': '#',
  '▅': '=',
  '▄': '=',
  '▃': '-',
  '▂': '-',
  '▁': '_',
  '▉': '#',
  '▊': '#',
  '▋': '#',
  '▍': '=',
  '▎': '-',
  '▏': '|',
  '▀': '"',
};

const PLAIN = /^[\x20-\x7e]*$/;

/** The text with our glyphs in ASCII; what somebody else wrote stays as it is. */
export function ascii(text: string): string {
  if (PLAIN.test(text)) return text;
  let out = '';
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    // Braille: by how many of its dots are set.
    if (code >= 0x2800 && code <= 0x28ff) {
      const dots = (code - 0x2800).toString(2).replaceAll('0', '').length;
      out += dots === 0 ? ' ' : dots < 3 ? '.' : dots < 6 ? ':' : '#';
    } else out += GLYPHS[character] ?? character;
  }
  return out;
}
