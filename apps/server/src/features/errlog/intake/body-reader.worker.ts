// The thread that parses bodies: inflates, parses, makes fingerprints. A slow body blocks nobody else.
import { getHeapStatistics } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import { AppError } from '@quarterdeck/core/plain';
import { type PackedRefusal, packRefusal, yieldToMainThread } from '@quarterdeck/core/threads';
import { readBody } from './body-lines.ts';
import type { IncomingBody } from './incoming.ts';
import { type PackedBatch, packBatch } from './packed-batch.ts';

/** A body to be parsed. */
export interface ReadRequest {
  readonly body: IncomingBody;
  /** Time of lines without one, Unix seconds. */
  readonly nowS: number;
  /** Asks for the hash of the body. */
  readonly hashed: boolean;
}

/** Result of a body; `failed` is a bug of ours. */
type ReadOutcome =
  | { readonly kind: 'read'; readonly batch: PackedBatch }
  | { readonly kind: 'refused'; readonly refusal: PackedRefusal }
  | { readonly kind: 'failed'; readonly error: unknown };

/** The thread's answer to an request. `heapBytes` is the size of its heap, garbage included. */
export type ReadAnswer = ReadOutcome & { readonly heapBytes: number };

function outcomeOf({ body, nowS, hashed }: ReadRequest): ReadOutcome {
  try {
    return { kind: 'read', batch: packBatch(readBody(body, nowS, hashed)) };
  } catch (error) {
    return error instanceof AppError ? { kind: 'refused', refusal: packRefusal(error) } : { kind: 'failed', error };
  }
}

yieldToMainThread();
const port = parentPort;
port?.on('message', (request: ReadRequest) => {
  const outcome = outcomeOf(request);
  const answer: ReadAnswer = { ...outcome, heapBytes: getHeapStatistics().total_heap_size };
  port.postMessage(answer, outcome.kind === 'read' ? [outcome.batch.packed.buffer] : []);
});
