// Notes for the ledger about the batches of one transaction.
import type { BatchNote, LedgerNotes, Loss, Sender } from '@quarterdeck/store';
import type { ReadBatch } from './packed-batch.ts';
import { sourceOf } from './senders.ts';

const NO_NODE = -1;

/** Collects the notes. Lines without a body, those of syslog, need none: all of them are stored, or repeated. */
export class NotedBatches implements LedgerNotes {
  readonly batches: BatchNote[] = [];
  readonly losses: Loss[] = [];

  get isEmpty(): boolean {
    return this.batches.length === 0 && this.losses.length === 0;
  }

  /** Adds a batch that is stored, or of which no line can be read. */
  add({ lines, refused: { length }, rejected = 0, from, numbers, omitted = {} }: ReadBatch): void {
    const refused = length + rejected;
    const types = Object.entries(omitted);
    if (from === undefined || (refused === 0 && numbers === undefined && types.length === 0)) return;
    const sender = sourceOf(from, '', 0, NO_NODE);
    for (const [type, items] of types) this.losses.push({ sender, stage: `sentry_${type}`, lines: items });
    if (refused === 0 && numbers === undefined) return;
    this.batches.push({ sender, refused, lines: lines.length + refused, numbers });
  }

  /** Adds a batch that exceeds a quota. Agents repeat theirs until it is stored. */
  addTurnedAway({ lines, from }: ReadBatch): void {
    if (from === undefined || from.agentId !== undefined) return;
    const counts = new Map<Sender, number>();
    for (const { line, sender } of lines) counts.set(sender, (counts.get(sender) ?? 0) + line.count);
    for (const [sender, n] of counts) this.losses.push({ sender, stage: 'quota', lines: n });
  }
}
