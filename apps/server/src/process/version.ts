import { readFileSync } from 'node:fs';

/** Set at build time in the bundle; see rolldown.config.ts. */
declare const BUNDLED_VERSION: string | undefined;

/** True in a release, false in a clone of the repository. */
export const IS_RELEASE = typeof BUNDLED_VERSION === 'string';

/** Version of the server, from its package.json. */
export const VERSION: string =
  typeof BUNDLED_VERSION === 'string'
    ? BUNDLED_VERSION
    : (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }).version;
