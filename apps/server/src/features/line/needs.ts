import type { LineReads, Packer } from '@quarterdeck/store';
import type { RecordingNeeds } from '../audit/needs.ts';
import type { Folders } from './copies-on-disk.ts';

/** Parts of a server that lines work with. */
export interface LineNeeds extends Pick<RecordingNeeds, 'db' | 'audit' | 'now'> {
  readonly lineReads: LineReads;
  readonly packer: Packer;
  /** Attempts to send messages: those of channels whose stored text is erased end. */
  readonly attempts: { recall(webhookIds: Iterable<number>): void };
  readonly folders: Folders;
}
