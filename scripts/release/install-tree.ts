// Installs packages of a release below a folder, with Node, for archives and Debian packages. Our packages come from
// the tarballs in release/, their dependencies from the lock file. The files are the same on every machine.
import { chmodSync, copyFileSync, cpSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { extract } from 'tar';
import { type Arch, fetchNode, fetchPackage, nodeLicence, removeSymbols } from './natives.ts';
import { readManifest } from './packages.ts';
import { filesBelow, tarballs } from './release-folder.ts';

/** A program of a release. */
export type Program = 'server' | 'cli' | 'agent';

/** The files of a dependency that programs need, and the packages with its binaries. */
interface Dependency {
  readonly files: RegExp;
  readonly binaries: readonly string[];
}

const dependenciesOf = (arch: Arch): Readonly<Record<string, Dependency>> => ({
  '@napi-rs/keyring': { files: /^index\.js$/, binaries: [`@napi-rs/keyring-linux-${arch}-gnu`] },
  '@node-rs/argon2': { files: /^index\.js$/, binaries: [`@node-rs/argon2-linux-${arch}-gnu`] },
  '@prisma/schema-engine-wasm': { files: /\.(js|wasm)$/, binaries: [] },
  // The sources of SQLite and binaries of other systems take 25 MB.
  'better-sqlite3': {
    files: new RegExp(`^lib/(?!(darwin|win32|linux|linuxmusl)-)|^(lib|prebuilds)/linux-${arch}\\.(js|node)$`),
    binaries: [],
  },
});

/** Files of every package. */
const COMMON = /^(package\.json|licen[cs]e[^/]*)$/i;
/** The bundles do not read their maps; the npm packages have them. */
const NOT_INSTALLED = /\.js\.map$/;

function copyPackage(modules: string, name: string, files: RegExp, arch: Arch): void {
  const from = fetchPackage(name);
  for (const file of filesBelow(from).filter((path) => COMMON.test(path) || files.test(path))) {
    mkdirSync(join(modules, name, dirname(file)), { recursive: true });
    const target = join(modules, name, file);
    copyFileSync(join(from, file), target);
    if (file.endsWith('.node')) removeSymbols(target, arch);
  }
}

/** Installs one program with its dependencies. Returns the folder of its package. */
export function installProgram(modules: string, program: Program, arch: Arch): string {
  const [file] = tarballs(program);
  if (file === undefined) throw new Error(`release/ has no package of ${program}; run pnpm release:pack first.`);
  const folder = join(modules, '@quarterdeck', program);
  mkdirSync(folder, { recursive: true });
  extract({ file, cwd: folder, strip: 1, sync: true, filter: (path) => !NOT_INSTALLED.test(path) });
  const { dependencies = {}, optionalDependencies = {} } = readManifest(folder);
  const known = dependenciesOf(arch);
  for (const name of Object.keys({ ...(dependencies as object), ...(optionalDependencies as object) })) {
    const dependency = known[name];
    if (dependency === undefined) throw new Error(`Add the files of ${name} that are installed to install-tree.ts.`);
    copyPackage(modules, name, dependency.files, arch);
    for (const binary of dependency.binaries) copyPackage(modules, binary, /\.node$/, arch);
  }
  return folder;
}

/** Installs Node as `bin/node` below a folder, with its licence. */
export function installNode(folder: string, arch: Arch): void {
  mkdirSync(join(folder, 'bin'), { recursive: true });
  cpSync(fetchNode(arch), join(folder, 'bin/node'));
  cpSync(nodeLicence(arch), join(folder, 'LICENSE'));
}

/** Sets the modes of all files, which otherwise depend on the user's umask. */
export function setModes(folder: string): void {
  for (const name of filesBelow(folder)) chmodSync(join(folder, name), /(^|\/)bin\/[^/]+$/.test(name) ? 0o755 : 0o644);
}
