// The engine of stored lines: how lines are kept, read and erased once a batch has appended them (decision 110).
import type { Database } from '@quarterdeck/core/db';
import type { Logger } from 'pino';
import { createLineReads } from './lines/create-line-reads.ts';
import type { LineReads } from './lines/line-reads.ts';
import { createPacker, type Packer } from './packing/packer.ts';
import type { DamagedSegment } from './segments/damage-log.ts';

/** Reads and upkeep of the lines of one database. Both are closed before it, the packer last. */
export interface LineEngine {
  readonly reads: LineReads;
  readonly packer: Packer;
}

/** Dependencies of an engine. */
export interface LineEngineDeps {
  readonly db: Database;
  readonly log: Logger;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Bound of the data in bytes; 0 is no bound. */
  readonly maxBytes: number;
  /** Takes the damaged segments that a read or the packer met. */
  readonly noteDamage: (damaged: readonly DamagedSegment[]) => void;
}

/** The engine that keeps lines as segments in the database. */
export const segmentEngine = ({ db, log, now, maxBytes, noteDamage }: LineEngineDeps): LineEngine => ({
  reads: createLineReads({ db, log, now, noteDamage }),
  packer: createPacker(db, { maxBytes, noteDamage }),
});
