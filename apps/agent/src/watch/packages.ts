// Watches the packages of the system: those that dpkg, apk and rpm have installed.
import type { Stats } from 'node:fs';
import { join } from 'node:path';
import type { Exec } from '../facts/exec.ts';
import { cleanValue, compare } from '../observe/compare.ts';
import type { Look, Observed, Watcher } from '../observe/watcher.ts';
import { stampOf, statusOf } from './file-stamp.ts';
import { readLines } from './read-lines.ts';

export interface PackageWatcherOptions {
  readonly exec: Exec;
  /** Root of the host's files; `/` outside tests. */
  readonly root?: string;
}

/** Versions by package. Several versions of one are separated by commas, such as kernels. */
type Versions = Map<string, string>;

interface Manager {
  readonly name: string;
  /** Files that it writes; the first ones that exist count. */
  readonly databases: readonly (readonly string[])[];
  /** Reads the versions from the first database, or by a command. */
  read(database: string, exec: Exec, signal: AbortSignal): Promise<Versions>;
}

const PACKAGES_MAX = 20_000;
const RPM_MAX_BYTES = 4 * 1024 * 1024;
const NAME_MAX = 120;
const VERSION_MAX = 120;

/** Copies a text, which would otherwise keep the piece of the file that it was cut from in memory. */
const copied = (text: string, max: number): string => Buffer.from(cleanValue(text, max)).toString();

/** Notes a version. Copies for several architectures are one package. */
function add(versions: Versions, name: string, version: string): void {
  if (name === '' || version === '') return;
  const field = copied(name, NAME_MAX);
  const known = versions.get(field);
  const text = copied(version, VERSION_MAX);
  if (known === undefined && versions.size < PACKAGES_MAX) versions.set(field, text);
  else if (known !== undefined && !known.split(', ').includes(text)) {
    versions.set(field, [...known.split(', '), text].sort().join(', '));
  }
}

/** Reads records of `Name: value` lines with blank lines between. */
async function readRecords(
  path: string,
  keys: { readonly name: string; readonly version: string; readonly status?: string },
  signal: AbortSignal,
): Promise<Versions> {
  const versions: Versions = new Map();
  let name = '';
  let version = '';
  let isInstalled = true;
  const end = (): void => {
    if (isInstalled) add(versions, name, version);
    name = '';
    version = '';
    isInstalled = true;
  };
  for await (const line of readLines(path, signal)) {
    if (line === '') end();
    else if (line.startsWith(keys.name)) name = line.slice(keys.name.length);
    else if (line.startsWith(keys.version)) version = line.slice(keys.version.length);
    else if (keys.status !== undefined && line.startsWith(keys.status)) isInstalled = !NOT_INSTALLED.test(line);
  }
  end();
  return versions;
}

const NOT_INSTALLED = / (?:not-installed|config-files)$/;
const DPKG = { name: 'Package: ', version: 'Version: ', status: 'Status: ' };
const APK = { name: 'P:', version: 'V:' };

async function readRpm(exec: Exec): Promise<Versions> {
  const format = '%{NAME}\\t%|EPOCH?{%{EPOCH}:}:{}|%{VERSION}-%{RELEASE}\\n';
  const { ok, stdout } = await exec(['rpm', '-qa', '--qf', format], { maxBytes: RPM_MAX_BYTES });
  if (!ok || stdout.length >= RPM_MAX_BYTES) throw new Error('rpm -qa failed');
  const versions: Versions = new Map();
  for (const line of stdout.split('\n')) {
    const [name = '', version = ''] = line.split('\t');
    // Keys that rpm trusts, not packages.
    if (name !== 'gpg-pubkey') add(versions, name, version);
  }
  return versions;
}

/** Databases of rpm in one folder, by its version: SQLite with its journal, the native one, Berkeley DB. */
const rpmIn = (folder: string): string[][] => [
  [`${folder}/rpmdb.sqlite`, `${folder}/rpmdb.sqlite-wal`],
  [`${folder}/Packages.db`],
  [`${folder}/Packages`],
];

const MANAGERS: readonly Manager[] = [
  {
    name: 'dpkg',
    databases: [['/var/lib/dpkg/status']],
    read: (path, _, signal) => readRecords(path, DPKG, signal),
  },
  {
    name: 'apk',
    databases: [['/lib/apk/db/installed'], ['/usr/lib/apk/db/installed']],
    read: (path, _, signal) => readRecords(path, APK, signal),
  },
  {
    name: 'rpm',
    databases: [...rpmIn('/usr/lib/sysimage/rpm'), ...rpmIn('/var/lib/rpm')],
    read: (_, exec) => readRpm(exec),
  },
];

/** A database that exists. */
interface Database {
  readonly path: string;
  readonly stamp: string;
  readonly changedMs: number;
}

async function findDatabase({ databases }: Manager, root: string): Promise<Database | undefined> {
  for (const paths of databases) {
    const all = await Promise.all(paths.map((path) => statusOf(join(root, path))));
    // Readers of SQLite may leave an empty journal behind.
    const written = all.filter((status): status is Stats => status !== undefined && status.size > 0);
    if (all[0] === undefined || written.length === 0) continue;
    return {
      path: join(root, paths[0] ?? ''),
      stamp: written.map(stampOf).join(' '),
      changedMs: Math.max(...written.map(({ mtimeMs }) => mtimeMs)),
    };
  }
  return undefined;
}

/** Creates the watcher of packages. A database is read only after it has changed. */
export function packageWatcher({ exec, root = '/' }: PackageWatcherOptions): Watcher {
  async function lookAt(manager: Manager, before: Observed | undefined, signal: AbortSignal): Promise<Look> {
    const database = await findDatabase(manager, root);
    const note = `#${manager.name}`;
    if (database === undefined) return { observed: {}, changes: [] };
    if (before?.[note] === database.stamp) return { observed: before, changes: [] };
    const versions = await manager.read(database.path, exec, signal);
    const observed = { ...Object.fromEntries(versions), [note]: database.stamp };
    // A package manager that is new here has installed nothing just now.
    const known = before?.[note] === undefined ? undefined : before;
    const options = { kind: 'package', timeOf: () => database.changedMs, plural: 'packages' } as const;
    return { observed, changes: compare(known, observed, options) };
  }

  return {
    name: 'packages',
    everyS: 30,
    async look(before, signal) {
      for (const manager of MANAGERS) {
        const look = await lookAt(manager, before, signal);
        if (Object.keys(look.observed).length > 0) return look;
      }
      // It is moved aside while it is rebuilt.
      if (Object.keys(before ?? {}).length > 0) throw new Error('the database of packages has gone');
      return { observed: {}, changes: [] };
    },
  };
}
