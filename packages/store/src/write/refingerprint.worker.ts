// The thread that changes fingerprints on SQLite after an upgrade.
import { serveWrites } from '@quarterdeck/core/db';
import { changeSlice } from './refingerprint.ts';

/** Answer of the thread to a write: whether that was the last slice. */
export type IsLastSlice = boolean;

serveWrites<undefined, never, IsLastSlice>(() => ({
  take() {},
  write: (transact) => transact((tx) => changeSlice(tx, 'sqlite')),
}));
