// The marker file beside the key: the key has been used with a database. A used key without a database means that the
// database was lost, not that the installation is new.
import { closeSync, existsSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';

const MARKER_FILE = 'secret.key.used';
const TEXT = 'A database belongs to secret.key. Without that database the server does not start.\n';

/** True where a server has started with the key of this folder. */
export const isKeyUsed = (dataDir: string): boolean => existsSync(join(dataDir, MARKER_FILE));

/**
 * Writes the marker, unless it exists. A full disk does not stop the server.
 */
export function markKeyUsed(dataDir: string, log: Logger): void {
  if (isKeyUsed(dataDir)) return;
  try {
    write(dataDir);
  } catch (error) {
    log.warn({ err: error }, `cannot write ${MARKER_FILE}; the next start tries again`);
  }
}

function write(dataDir: string): void {
  const file = openSync(join(dataDir, MARKER_FILE), 'w', 0o600);
  writeSync(file, TEXT);
  fsyncSync(file);
  closeSync(file);
  const folder = openSync(dataDir, 'r');
  fsyncSync(folder);
  closeSync(folder);
}
