// Table of the watchers.
import type { Logger } from 'pino';
import type { Host } from '../facts/host.ts';
import type { Watcher } from '../observe/watcher.ts';
import type { Command } from '../settings/config-values.ts';
import { type CertificatePlace, certificateWatcher } from './certificates.ts';
import { clockWatcher } from './clock.ts';
import { createConfigTrees } from './config/config-trees.ts';
import type { HashKey } from './config/hash-key.ts';
import { containerWatcher } from './containers.ts';
import { diskWatcher } from './disk.ts';
import { dnsWatcher } from './dns.ts';
import { packageWatcher } from './packages.ts';
import { programWatcher } from './programs.ts';
import { timeZoneWatcher } from './time-zone.ts';
import { unitWatcher } from './units.ts';

/** Places and names that the watchers of a host look at. */
export interface WatchSettings {
  /** Absolute globs of configuration files and folders. */
  readonly configTrees: readonly string[];
  /** True where the changed lines of configuration files may leave this host, with secrets masked. */
  readonly configDiff: boolean;
  /** Programs to watch, with the words that print their versions. */
  readonly programs: readonly Command[];
  /** Files, folders and ports with certificates. */
  readonly certificates: readonly CertificatePlace[];
  /** Names of units of systemd, with wildcards. */
  readonly units: readonly string[];
  /** Socket of the service that runs containers. */
  readonly containers: string | undefined;
}

/** Dependencies of a watcher. */
export interface WatchContext {
  readonly config: WatchSettings;
  readonly host: Host;
  /** Folder for files of its own; it may not exist yet. It is removed when the watcher is turned off. */
  readonly dir: string;
  /** Key of the installation for hashes of files; undefined while no server has handed it out. */
  readonly installationKey: () => HashKey | undefined;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly log: Logger;
}

interface Entry {
  /** True for a watcher that runs unless the host's settings say otherwise: cheap, and safe on any host. */
  readonly isDefault: boolean;
  readonly create: (context: WatchContext) => Watcher;
}

const entry = (isDefault: boolean, create: Entry['create']): Entry => ({ isDefault, create });

const monotonicMs = (): number => performance.now();
/** The monotonic clock of the system, by which systemd tells times. */
const systemMs = (): number => Number(process.hrtime.bigint() / 1_000n) / 1_000;

export const WATCHERS = {
  config: entry(true, ({ config, ...context }) =>
    createConfigTrees({ ...context, trees: config.configTrees, withDiffs: config.configDiff }),
  ),
  packages: entry(true, ({ host }) => packageWatcher(host)),
  programs: entry(true, ({ config, host, now }) =>
    programWatcher({ exec: host.exec, programs: config.programs, now, monotonicMs }),
  ),
  certificates: entry(true, ({ config, now }) => certificateWatcher({ places: config.certificates, now })),
  units: entry(true, ({ config, host, now }) => unitWatcher({ ...host, units: config.units, now, systemMs })),
  containers: entry(true, ({ config }) => containerWatcher({ socket: config.containers, monotonicMs })),
  clock: entry(true, ({ host, now }) => clockWatcher({ files: host.files, now })),
  time_zone: entry(true, () => timeZoneWatcher()),
  dns: entry(true, () => dnsWatcher()),
  disk: entry(true, () => diskWatcher()),
} as const satisfies Record<string, Entry>;

/** Name of a watcher, in the settings of the host. */
export type WatcherName = keyof typeof WATCHERS;

export const WATCHER_NAMES = Object.keys(WATCHERS) as WatcherName[];

/** Watchers that run by default. */
export const WATCHERS_DEFAULT = WATCHER_NAMES.filter((name) => WATCHERS[name].isDefault);
