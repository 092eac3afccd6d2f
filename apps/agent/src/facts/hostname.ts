import { clean } from './clean.ts';
import type { Host } from './host.ts';

const MAX_LENGTH = 255;

/** The host's name as the kernel has it; a host without one is `localhost`, since the server wants a name. */
export function readHostname({ system }: Host): string {
  return clean(system.hostname(), MAX_LENGTH) || 'localhost';
}
