// The thread that stores batches on SQLite, from the bytes of a body to the commit.
import { serveWrites } from '@quarterdeck/core/db';
import { yieldToMainThread } from '@quarterdeck/core/threads';
import type { StoredBatch } from '@quarterdeck/store';
import { ANNOUNCED_MAX } from './announced-max.ts';
import { type Batch, BatchWriter, type WriterSettings, type Written } from './batch-writer.ts';
import { type PackedOutcome, packOutcome } from './outcome.ts';

/** Message to the thread: a batch, or the numbers of batches to remove. */
export type IntakeMessage = Batch | { readonly remove: ReadonlySet<number> };

/** Answer of the thread to a write. */
export type IntakeAnswer = Omit<Written, 'outcomes'> & { readonly outcomes: readonly PackedOutcome[] };

yieldToMainThread();
serveWrites<WriterSettings, IntakeMessage, IntakeAnswer>((settings) => {
  const writer = new BatchWriter(settings);
  return {
    take(message) {
      if ('remove' in message) writer.remove(message.remove);
      else writer.take(message);
    },
    async write(transact) {
      const { outcomes, stored, ...written } = await writer.write(transact);
      return { outcomes: outcomes.map(packOutcome), stored: stored.map(shortened), ...written };
    },
  };
});

/** Cuts lists that are too long to be announced one by one. */
const shortened = ({ created, repeated, regressed, unmuted }: StoredBatch): StoredBatch => ({
  created: created.slice(0, ANNOUNCED_MAX + 1),
  repeated: repeated.slice(0, ANNOUNCED_MAX + 1),
  regressed: regressed.slice(0, ANNOUNCED_MAX + 1),
  unmuted: unmuted.slice(0, ANNOUNCED_MAX + 1),
});
