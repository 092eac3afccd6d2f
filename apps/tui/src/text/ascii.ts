// Replaces our own glyphs by ASCII, for terminals that show nothing else. One column for one column.

const GLYPHS: Readonly<Record<string, string>> = {
  '●': '*',
  '○': 'o',
  '★': '$',
  '■': '#',
  '□': 'n',
  '▣': '%',
  '◉': '@',
  '◈': '+',
  '▸': '>',
  '↺': '<',
  '◐': '%',
  '✖': 'X',
  '▲': '^',
  '△': '^',
  '▼': 'v',
  '◆': '+',
  '◇': '+',
  '·': '.',
  '×': 'x',
  '•': '*',
  '…': '~',
  '×': 'x',
  '▌': '>',
  '›': '>',
  '‹': '<',
  '»': '>',
  '→': '>',
  '←': '<',
  '↑': '^',
  '↓': 'v',
  '✓': 'v',
  '✗': 'x',
  '–': '-',
  '─': '-',
  '━': '=',
  '╸': '=',
  '╴': '-',
  '│': '|',
  '╵': '|',
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
  '▪': '*',
};

const PLAIN = /^[\x20-\x7e]*$/;

/** Replaces our glyphs; other text stays unchanged. */
export function ascii(text: string): string {
  if (PLAIN.test(text)) return text;
  let out = '';
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    // Braille, by the number of its dots.
    if (code >= 0x2800 && code <= 0x28ff) {
      const dots = (code - 0x2800).toString(2).replaceAll('0', '').length;
      out += dots === 0 ? ' ' : dots < 3 ? '.' : dots < 6 ? ':' : '#';
    } else if (code >= 0x2400 && code <= 0x2421) {
      // A control character that was made visible
      out += '?';
    } else out += GLYPHS[character] ?? character;
  }
  return out;
}
