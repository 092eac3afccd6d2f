// Reads a large file of the host line by line. Memory is bounded for files and lines of any length.
import { createReadStream } from 'node:fs';

const FILE_MAX_BYTES = 256 * 1024 * 1024;
/** A longer line is cut. */
const LINE_MAX = 8 * 1024;

/**
 * Yields the lines of a file.
 *
 * @throws the error of the system when the file cannot be read, or the reason of the signal
 */
export async function* readLines(path: string, signal: AbortSignal): AsyncGenerator<string> {
  // Names and versions are ASCII; other text needs no decoder across chunks.
  const chunks = createReadStream(path, { encoding: 'latin1', end: FILE_MAX_BYTES - 1, signal });
  let rest = '';
  for await (const chunk of chunks) {
    const text = rest + chunk;
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      yield text.slice(start, Math.min(end, start + LINE_MAX));
      start = end + 1;
    }
    rest = text.slice(start, start + LINE_MAX);
  }
  if (rest !== '') yield rest;
}
