import { readFileSync } from 'node:fs';

/** Set at build time in the bundle; see rolldown.config.ts. */
declare const BUNDLED_VERSION: string | undefined;

/** Version of the program, from its package.json. */
export const VERSION: string =
  typeof BUNDLED_VERSION === 'string'
    ? BUNDLED_VERSION
    : (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }).version;
