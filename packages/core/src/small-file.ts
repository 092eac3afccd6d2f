// The reader of small text files that people write: settings, passwords, tokens. Node only.
import { readFileSync } from 'node:fs';
import { withoutMark } from './small-text.ts';

export { escapeUnseen, valueIn, withoutMark } from './small-text.ts';

/**
 * Reads a text file without its byte order mark, in UTF-8 or, where the mark says so, in UTF-16, as shells of Windows
 * write it.
 *
 * @throws the error of the system where it cannot be read
 */
export function readSmallFile(path: string): string {
  const bytes = readFileSync(path);
  const isLittle = bytes[0] === 0xff && bytes[1] === 0xfe;
  const isBig = bytes[0] === 0xfe && bytes[1] === 0xff;
  const encoding = isLittle ? 'utf-16le' : isBig ? 'utf-16be' : 'utf-8';
  return withoutMark(new TextDecoder(encoding).decode(bytes));
}
