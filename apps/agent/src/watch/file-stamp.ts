// Tells whether a file may have changed without reading it.
import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';

/** Returns the status of what a path leads to; undefined where nothing can be read. */
export const statusOf = (path: string): Promise<Stats | undefined> => stat(path).catch(() => undefined);

/** Text that differs once a file has been written or replaced. */
export const stampOf = ({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string =>
  [dev, ino, size, mtimeMs, ctimeMs].join(' ');
