// Lists the packages of a release, each with the files it installs and what of its manifest users need.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The parts of a package.json that a release reads or writes. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly [field: string]: unknown;
}

/** One package of a release. */
export interface Package {
  /** Folder in the repository. */
  readonly folder: string;
  /** Folder in the package -> folder or file in the repository. */
  readonly content: Readonly<Record<string, string>>;
  /** Folder of another package whose build is in `content`, for the bill of materials. */
  readonly contains?: string;
  /** Files below `content` that are left out. */
  readonly without?: RegExp;
  /** The fields of the manifest beside those of every package. */
  manifest(own: Manifest): Readonly<Record<string, unknown>>;
}

/** The oldest Node that the programs run on; `requireNode` of core refuses older ones. */
const PROGRAMS = { node: '>=22.15' };

/** Types of the sources, tests and generated database code: nothing a library installs. */
const NOT_LIBRARY = /(^|\/)db\/|\.tsbuildinfo$/;

type Exports = Record<string, Record<string, string>>;

/** Entrances that only the server uses. */
const OF_SERVER: readonly string[] = ['./db', './sql', './threads', './addresses', './tls'];

/** The entrances of a library, without the one of the repository's own sources. */
function publicExports(exports: Exports): Exports {
  return Object.fromEntries(
    Object.entries(exports)
      .filter(([path]) => !OF_SERVER.includes(path))
      .map(([path, { '@quarterdeck/source': _source, ...targets }]) => [path, targets]),
  );
}

/** A library. Peers are published only where users install them: those of core belong to the database. */
const library = (folder: string, { hasPeers = false } = {}): Package => ({
  folder,
  content: { dist: `${folder}/dist` },
  without: NOT_LIBRARY,
  manifest: ({ exports, engines, sideEffects, dependencies, peerDependencies, peerDependenciesMeta }) => ({
    engines,
    sideEffects,
    exports: publicExports(exports as Exports),
    dependencies: ranges(folder, dependencies as Record<string, string>),
    ...(hasPeers ? { peerDependencies, peerDependenciesMeta } : {}),
  }),
});

/** Dependencies of a library as npm reads them: our own exactly, those of the catalog from what is installed. */
function ranges(folder: string, dependencies: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(dependencies).map(([name, range]) => {
      if (range.startsWith('workspace:')) return [name, installed(folder, name)];
      return [name, range === 'catalog:' ? `^${installed(folder, name)}` : range];
    }),
  );
}

/** The version of a dependency that is installed, and so tested. */
function installed(folder: string, name: string): string {
  return readManifest(join(folder, 'node_modules', name)).version;
}

/** Exactly the tested versions: a program is what was tested. */
const exactly = (folder: string, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, installed(folder, name)]));

export const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

const SERVER = 'apps/server';
const PAGE = 'apps/web';
const DATABASE = 'packages/core';

/** Every package of a release. */
export const PACKAGES: readonly Package[] = [
  library('packages/core'),
  library('packages/sdk'),
  library('packages/express', { hasPeers: true }),
  {
    folder: SERVER,
    content: {
      bin: `${SERVER}/bin`,
      'lib/server': `${SERVER}/bundle/lib/server`,
      page: `${PAGE}/dist`,
      'prisma/sqlite/migrations': `${DATABASE}/prisma/sqlite/migrations`,
      'prisma/postgresql/migrations': `${DATABASE}/prisma/postgresql/migrations`,
    },
    contains: PAGE,
    // The map of a WebAssembly file as text is as large as the file and says nothing.
    without: /wasm-base64\.js\.map$/,
    manifest: () => ({
      engines: PROGRAMS,
      bin: { quarterdeckd: 'bin/quarterdeckd' },
      dependencies: {
        ...exactly(SERVER, ['@node-rs/argon2', 'better-sqlite3']),
        ...exactly(DATABASE, ['@prisma/schema-engine-wasm']),
      },
    }),
  },
  {
    folder: 'apps/agent',
    content: {
      bin: 'apps/agent/bin',
      'dist/quarterdeck-agent.mjs': 'apps/agent/dist/quarterdeck-agent.mjs',
      'dist/THIRD-PARTY-LICENCES.txt': 'apps/agent/dist/THIRD-PARTY-LICENCES.txt',
    },
    manifest: () => ({ engines: PROGRAMS, bin: { 'quarterdeck-agent': 'bin/quarterdeck-agent' } }),
  },
  {
    folder: 'apps/cli',
    content: { dist: 'apps/cli/dist' },
    manifest: () => ({
      engines: PROGRAMS,
      bin: { quarterdeck: 'dist/main.js' },
      man: 'dist/quarterdeck.1',
      // Without it, credentials are stored in a file.
      optionalDependencies: exactly('apps/cli', ['@napi-rs/keyring']),
    }),
  },
];
