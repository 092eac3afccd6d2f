// Table of the watchers.
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Host } from '../facts/host.ts';
import { createConfigTrees } from './config/config-trees.ts';
import type { Watcher } from './watcher.ts';

/** Dependencies of a watcher. */
export interface WatchContext {
  readonly config: Config;
  readonly host: Host;
  /** Folder for files of its own; it may not exist yet. It is removed when the watcher is turned off. */
  readonly dir: string;
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

/** Watchers by name. */
export const WATCHERS = {
  config: entry(true, ({ config, ...context }) =>
    createConfigTrees({ ...context, trees: config.configTrees, withDiffs: config.configDiff }),
  ),
} as const satisfies Record<string, Entry>;

/** Name of a watcher, in the settings of the host. */
export type WatcherName = keyof typeof WATCHERS;

export const WATCHER_NAMES = Object.keys(WATCHERS) as WatcherName[];

/** Watchers that run by default. */
export const WATCHERS_DEFAULT = WATCHER_NAMES.filter((name) => WATCHERS[name].isDefault);
