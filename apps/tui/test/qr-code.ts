// Reads a QR code from the screen, as a camera sees it.
import { encode } from 'uqr';

/** Returns the modules of the code of a text, with its border. */
export const modulesOf = (text: string): boolean[][] => encode(text, { ecc: 'L', border: 1 }).data;

/** Returns the modules of a drawn code of a size, true = dark: upper and lower half of each cell. */
export function qrModules(lines: readonly string[], size: number): boolean[][] {
  const top = lines.findIndex((line) => line.startsWith('█'.repeat(3)) || line.startsWith('█▀'));
  return Array.from({ length: size }, (_, row) => {
    const cells = [...(lines[top + Math.floor(row / 2)] ?? '').padEnd(size)].slice(0, size);
    const light = row % 2 === 0 ? '█▀' : '█▄';
    return cells.map((cell) => !light.includes(cell));
  });
}
