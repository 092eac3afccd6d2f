// The thread that reads bodies: inflates, parses, makes fingerprints. Whatever a body holds, nobody else waits for it.
import { getHeapStatistics } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import { AppError } from '@quarterdeck/core/plain';
import { type IncomingBody, readBody } from './incoming.ts';
import { readOtlpBody } from './otlp-body.ts';
import { type PackedBatch, packBatch } from './packed-batch.ts';
import { type PackedRefusal, packRefusal } from './refusal.ts';

/** A body to be read. */
export interface ReadOrder {
  readonly body: IncomingBody;
  /** The time of lines that do not say theirs, Unix seconds. */
  readonly nowS: number;
  /** The hash of the body is needed. */
  readonly hashed: boolean;
}

/** What became of a body; `failed` is a fault of ours. */
type ReadOutcome =
  | { readonly kind: 'read'; readonly batch: PackedBatch }
  | { readonly kind: 'refused'; readonly refusal: PackedRefusal }
  | { readonly kind: 'failed'; readonly error: unknown };

/** The thread's answer to an order. `heapBytes` is the size of its heap, garbage included. */
export type ReadAnswer = ReadOutcome & { readonly heapBytes: number };

function read({ body, nowS, hashed }: ReadOrder): PackedBatch {
  if (body.form === 'json' || body.form === 'ndjson') return packBatch(readBody(body, nowS, hashed), 0);
  const { batch, rejected } = readOtlpBody(body, nowS);
  return packBatch(batch, rejected);
}

function outcomeOf(order: ReadOrder): ReadOutcome {
  try {
    return { kind: 'read', batch: read(order) };
  } catch (error) {
    return error instanceof AppError ? { kind: 'refused', refusal: packRefusal(error) } : { kind: 'failed', error };
  }
}

const port = parentPort;
port?.on('message', (order: ReadOrder) => {
  const outcome = outcomeOf(order);
  const answer: ReadAnswer = { ...outcome, heapBytes: getHeapStatistics().total_heap_size };
  port.postMessage(answer, outcome.kind === 'read' ? [outcome.batch.packed.buffer] : []);
});
