// The files of the built page. They are read once: all of them take less memory than one answer of a list.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file below `assets/`. Its name has a hash of its content, so it never changes. */
export interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
  /** Compressed by the build; undefined for a small file. */
  readonly brotli: Buffer | undefined;
}

/** The page as it was built. */
export interface PageFiles {
  /** Names below `assets/`. */
  readonly assets: ReadonlyMap<string, Asset>;
  /** Returns index.html for a path that is `root` away from the root of this server, such as `../`. */
  readonly index: (root: string) => IndexFile;
}

interface IndexFile {
  readonly bytes: Buffer;
  /** Entity tag with its quotes. */
  readonly etag: string;
}

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  woff2: 'font/woff2',
  txt: 'text/plain; charset=utf-8',
};

const INDEX = 'index.html';
const BROTLI = '.br';
/** The address of the development server; a policy of the page forbids the element. */
const BASE_ELEMENT = /^\s*<base href="\/"\s*\/?>\n/m;
const NOT_BUILT = `<!doctype html>
<html lang="en">
<title>Quarterdeck</title>
<p>The page of this server is not built. Run <code>pnpm build</code>, and start the server again.</p>
<p><a href="./docs">Documentation of the API</a></p>
</html>
`;

/**
 * Returns the folder of the built page: that of the workspace, else the one in the package of a release, as seen from
 * the bundle.
 */
export function builtPage(): string {
  try {
    return fileURLToPath(new URL('.', import.meta.resolve('@quarterdeck/web/index.html')));
  } catch {
    return fileURLToPath(new URL('../../page/', import.meta.url));
  }
}

/** Reads the page from its folder. Where it is not built, the page says so. */
export function readPage(folder: string): PageFiles {
  if (!existsSync(join(folder, INDEX))) return { assets: new Map(), index: (root) => indexOf(NOT_BUILT, root) };
  const html = readFileSync(join(folder, INDEX), 'utf8').replace(BASE_ELEMENT, '');
  const names = readdirSync(join(folder, 'assets')).filter((name) => !name.endsWith(BROTLI));
  const assets = new Map(names.map((name) => [name, readAsset(join(folder, 'assets', name))]));
  return { assets, index: (root) => indexOf(html, root) };
}

function readAsset(path: string): Asset {
  const type = TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
  const brotli = existsSync(path + BROTLI) ? readFileSync(path + BROTLI) : undefined;
  return { type, bytes: readFileSync(path), brotli };
}

// Made for each request: a client chooses how deep a path is, so a cache of them would have no bound.
function indexOf(html: string, root: string): IndexFile {
  const bytes = Buffer.from(html.replaceAll('"./', `"${root}`));
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` };
}
