// A terminal emulator whose cells can be read.
import xterm from '@xterm/headless';

/** An emulated terminal. */
export interface Screen {
  readonly terminal: xterm.Terminal;
  /** Resolves when everything written so far is on the screen. */
  readonly settled: () => Promise<void>;
  readonly write: (text: string) => void;
  /** Every cell with its style. */
  readonly cells: () => string[];
  readonly text: () => string[];
}

export function createScreen(columns: number, rows: number): Screen {
  const terminal = new xterm.Terminal({
    cols: columns,
    rows,
    allowProposedApi: true,
    scrollback: 0,
    // Converts line ends as a terminal driver does.
    convertEol: true,
    // The emulator warns when it is slow, as on a loaded machine.
    logLevel: 'off',
  });
  const lineAt = (row: number): xterm.IBufferLine | undefined =>
    terminal.buffer.active.getLine(terminal.buffer.active.viewportY + row);
  return {
    terminal,
    write: (text) => terminal.write(text),
    settled: () => new Promise((resolve) => terminal.write('', resolve)),
    text: () => Array.from({ length: terminal.rows }, (_, row) => lineAt(row)?.translateToString(true) ?? ''),
    cells: () =>
      Array.from({ length: terminal.rows }, (_, row) => {
        const line = lineAt(row);
        return Array.from({ length: terminal.cols }, (__, column) => describe(line?.getCell(column))).join('');
      }),
  };
}

function describe(cell: xterm.IBufferCell | undefined): string {
  if (cell === undefined) return '?';
  // An unwritten cell equals a blank; the second cell of a wide glyph does not.
  const text = cell.getWidth() === 0 ? '_' : cell.getChars() || ' ';
  // The colour and the weight of the text do not show on a blank without inversion or a line.
  const showsText = text !== ' ' || cell.isInverse() || cell.isUnderline() || cell.isStrikethrough();
  const looks = [
    showsText && cell.isBold() ? 'b' : '',
    showsText && cell.isDim() ? 'd' : '',
    showsText && cell.isItalic() ? 'i' : '',
    cell.isUnderline() ? 'u' : '',
    cell.isInverse() ? 'v' : '',
    cell.isInvisible() ? 'h' : '',
    cell.isBlink() ? 'k' : '',
    cell.isStrikethrough() ? 's' : '',
    !showsText || cell.isFgDefault() ? '' : `f${cell.getFgColorMode()}.${cell.getFgColor()}`,
    cell.isBgDefault() ? '' : `g${cell.getBgColorMode()}.${cell.getBgColor()}`,
  ].join('');
  return looks === '' ? text : `<${looks}|${text}>`;
}
