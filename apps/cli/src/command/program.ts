// A run of the program: its streams and its files.
import { defaultFolders, type Folders } from '@quarterdeck/tui/profiles';
import type { Io } from '../terminal/io.ts';
import type { Config } from './config.ts';

/** A run of the program. */
export interface Program {
  readonly io: Io;
  readonly config: Config;
  readonly folders: Folders;
  readonly now: () => number;
}

/** Creates a run on the files of this user. */
export const createProgram = (io: Io, config: Config): Program => ({
  io,
  config,
  folders: defaultFolders(),
  now: Date.now,
});
