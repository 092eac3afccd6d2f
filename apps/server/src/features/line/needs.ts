import type { Database } from '@quarterdeck/core/db';
import type { LineReads, Packer } from '@quarterdeck/store';
import type { AuditLog } from '../audit/audit.log.ts';
import type { Folders } from './copies-on-disk.ts';

/** Parts of a server that lines work with. */
export interface LineNeeds {
  readonly db: Database;
  readonly lineReads: LineReads;
  readonly packer: Packer;
  readonly audit: AuditLog;
  /** Attempts to send messages: those of channels whose stored text is erased end. */
  readonly attempts: { recall(webhookIds: Iterable<number>): void };
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly folders: Folders;
}
