import { clean } from './clean.ts';
import type { Host } from './host.ts';

const MAX_LENGTH = 255;

/** Reads the kernel's host name; `localhost` without one, because the server requires a name. */
export function readHostname({ system }: Host): string {
  return clean(system.hostname(), MAX_LENGTH) || 'localhost';
}
