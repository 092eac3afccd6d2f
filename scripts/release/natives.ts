// The parts of a release that depend on the processor: Node itself and packages with prebuilt binaries. They come from
// the npm registry in pinned versions; their bytes are compared with a pinned checksum, so every machine has the same.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { extract } from 'tar';
import { readManifest } from './packages.ts';
import { OUTSIDE, ROOT } from './release-folder.ts';

/** A processor, as Node names it. */
export type Arch = 'x64' | 'arm64';

/** Downloads are kept here, below a folder that git ignores. */
const CACHE = join(ROOT, 'node_modules/.cache/quarterdeck-release');

/** Checksums of npm's `node-linux-*` packages by version. The version is that of the dependency `node`. */
const NODE_INTEGRITY: Readonly<Record<string, Readonly<Record<Arch, string>>>> = {
  '24.21.0': {
    x64: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
    arm64: 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
};

/** Programs that remove symbols, the first that is installed runs. */
const STRIP: Readonly<Record<Arch, readonly string[]>> = {
  x64: process.arch === 'x64' ? ['strip'] : ['x86_64-linux-gnu-strip', 'llvm-strip'],
  arm64: process.arch === 'arm64' ? ['strip'] : ['aarch64-linux-gnu-strip', 'llvm-strip'],
};

/** A package of the npm registry and the checksum of its tarball. */
interface Pinned {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
}

/** Returns the folder with the files of a package, which is downloaded once. */
function fetchPinned({ name, version, integrity }: Pinned): string {
  const folder = join(CACHE, `${name.replace('/', '+')}-${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  const work = mkdtempSync(join(CACHE, 'download-'));
  try {
    const args = ['pack', '--silent', '--pack-destination', work, `${name}@${version}`];
    const file = join(work, execFileSync('npm', args, { cwd: work, env: OUTSIDE, encoding: 'utf8' }).trim());
    const found = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
    if (found !== integrity) throw new Error(`${name}@${version} has the checksum ${found}, expected ${integrity}.`);
    const content = join(work, 'content');
    mkdirSync(content);
    extract({ file, cwd: content, strip: 1, sync: true });
    // Another run may have been faster: its files are the same.
    if (!existsSync(folder)) renameSync(content, folder);
  } finally {
    rmSync(work, { recursive: true });
  }
  return folder;
}

function pinnedInLockFile(name: string): Pinned {
  const lock = readFileSync(join(ROOT, 'pnpm-lock.yaml'), 'utf8');
  const found = [...lock.matchAll(/^ {2}'?(@?[^@'\s]+)@([^':\s]+)'?:\n {4}resolution: \{integrity: (\S+?)\}/gm)].filter(
    (match) => match[1] === name,
  );
  const [, , version = '', integrity = ''] = found[0] ?? [];
  if (found.length !== 1) throw new Error(`pnpm-lock.yaml has ${found.length} versions of ${name}, expected 1.`);
  return { name, version, integrity };
}

/** Returns the folder with the files of a package in the version of the lock file, also of another processor. */
export const fetchPackage = (name: string): string => fetchPinned(pinnedInLockFile(name));

/** Version of the Node that releases contain. */
export const nodeVersion = (): string => readManifest(join(ROOT, 'node_modules/node')).version;

function fetchNodePackage(arch: Arch): string {
  const version = nodeVersion();
  const integrity = NODE_INTEGRITY[version]?.[arch];
  if (integrity === undefined) throw new Error(`Add the checksums of node-linux-* ${version} to natives.ts.`);
  return fetchPinned({ name: `node-linux-${arch}`, version, integrity });
}

/** Path of the licence of Node and of the libraries inside it. */
export const nodeLicence = (arch: Arch): string => join(fetchNodePackage(arch), 'LICENSE');

/** Removes the symbols of a binary that was copied here. Says so where no program for the processor is installed. */
export function removeSymbols(file: string, arch: Arch): void {
  const program = STRIP[arch].find((name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0);
  if (program === undefined) {
    console.error(`${file} keeps its symbols; install one of: ${STRIP[arch].join(', ')}`);
    return;
  }
  execFileSync(program, ['--strip-all', file]);
}

/** Path of a Node binary without its symbols, which saves about 20 MB. */
export function fetchNode(arch: Arch): string {
  const original = join(fetchNodePackage(arch), 'bin/node');
  const stripped = `${original}.stripped`;
  if (existsSync(stripped)) return stripped;
  // Another run may make the same file.
  const work = `${stripped}.${process.pid}`;
  copyFileSync(original, work);
  removeSymbols(work, arch);
  chmodSync(work, 0o755);
  renameSync(work, stripped);
  return stripped;
}
