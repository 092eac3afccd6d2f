// Sizes of what a browser loads for a page: gzipped JavaScript and CSS.
import { gzipSync } from 'node:zlib';

/** A page and how much a browser may load for it. */
export interface RouteBudget {
  readonly route: string;
  /** End of the path of the module that the page is loaded from. */
  readonly module: string;
  /** Most bytes of gzipped JavaScript and CSS; undefined for no limit. */
  readonly maxBytes?: number;
}

const page = (route: string, name: string, maxBytes?: number): RouteBudget => ({
  route,
  module: `/src/pages/${name}.tsx`,
  ...(maxBytes === undefined ? {} : { maxBytes }),
});

/** The pages, as in src/routes.ts. */
export const ROUTE_BUDGETS: readonly RouteBudget[] = [
  page('/', 'overview/overview-page', 110_000),
  page('/sign-in', 'sign-in/sign-in-page'),
  page('/a/{id}', 'alert/alert-page', 100_000),
  page('/e', 'errors/errors-page'),
  page('/e/{id}', 'error/error-page'),
  page('/lines', 'lines/lines-page'),
  page('/h', 'hosts/hosts-page'),
  page('/h/{id}', 'host/host-page'),
  page('/changes', 'changes/changes-page'),
  page('/tokens', 'tokens/tokens-page'),
  page('/device', 'device/device-page'),
  page('/account', 'account/account-page'),
];

/** A file of the bundle, and the files that are loaded with it. */
export interface BundleFile {
  readonly bytes: Uint8Array | string;
  /** Names of chunks and style sheets that come with it. */
  readonly needs: readonly string[];
}

/** Returns all files that are loaded for these, each once. */
export function filesOf(names: readonly string[], files: ReadonlyMap<string, BundleFile>): string[] {
  const found = new Set<string>();
  const add = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    for (const need of files.get(name)?.needs ?? []) add(need);
  };
  for (const name of names) add(name);
  return [...found];
}

/** Returns the gzipped size of files, in bytes. */
export const gzippedSize = (names: readonly string[], files: ReadonlyMap<string, BundleFile>): number =>
  names.reduce((sum, name) => sum + gzipSync(files.get(name)?.bytes ?? '', { level: 9 }).length, 0);
