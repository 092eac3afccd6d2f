// The thread that changes fingerprints on SQLite after an upgrade.
import { serveWrites } from '@quarterdeck/core/db';
import { changeSlice } from './refingerprint.ts';

serveWrites<undefined, never, boolean>(() => ({
  take() {},
  write: (transact) => transact((tx) => changeSlice(tx, 'sqlite')),
}));
