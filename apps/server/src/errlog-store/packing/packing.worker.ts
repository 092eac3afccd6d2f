// The thread that packs segments: compressing one takes longer than the event loop may stand still.
import { parentPort } from 'node:worker_threads';
import type { StoredSegment } from '../tables/segment-rows.ts';
import { type PackingTask, runTask, transferable } from './packing-task.ts';

/** Answer of the thread to a task. */
export type PackingAnswer =
  | { readonly kind: 'packed'; readonly segments: StoredSegment[] }
  | { readonly kind: 'failed'; readonly error: unknown };

const port = parentPort;
port?.on('message', (task: PackingTask) => {
  let answer: PackingAnswer;
  try {
    answer = { kind: 'packed', segments: runTask(task) };
  } catch (error) {
    answer = { kind: 'failed', error };
  }
  port.postMessage(answer, answer.kind === 'packed' ? transferable(answer.segments) : []);
});
