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

/** Reads the page from its folder; undefined where it is not built. */
export function readPage(folder: string): PageFiles | undefined {
  if (!existsSync(join(folder, INDEX))) return undefined;
  const html = readFileSync(join(folder, INDEX), 'utf8').replace(BASE_ELEMENT, '');
  const names = readdirSync(join(folder, 'assets')).filter((name) => !name.endsWith(BROTLI));
  const assets = new Map(names.map((name) => [name, readAsset(join(folder, 'assets', name))]));
  const made = new Map<string, IndexFile>();
  return {
    assets,
    index(root) {
      // As many as there are depths of paths: one or two.
      const file = made.get(root) ?? indexOf(html.replaceAll('"./assets/', `"${root}assets/`));
      made.set(root, file);
      return file;
    },
  };
}

function readAsset(path: string): Asset {
  const type = TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
  const brotli = existsSync(path + BROTLI) ? readFileSync(path + BROTLI) : undefined;
  return { type, bytes: readFileSync(path), brotli };
}

function indexOf(html: string): IndexFile {
  const bytes = Buffer.from(html);
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` };
}
