// The thread that packs segments: compressing one takes longer than the event loop may stand still.
import { parentPort } from 'node:worker_threads';
import { yieldToMainThread } from '@quarterdeck/core/threads';
import { DamagedPart, type SegmentPart } from '../segments/damage.ts';
import type { StoredSegment } from '../tables/segment-rows.ts';
import { type PackingTask, runTask, transferable } from './packing-task.ts';

/** Answer of the thread to a task. */
export type PackingAnswer =
  | { readonly kind: 'packed'; readonly segments: StoredSegment[] }
  | { readonly kind: 'damaged'; readonly segment: number; readonly part: SegmentPart; readonly cause: unknown }
  | { readonly kind: 'failed'; readonly error: unknown };

yieldToMainThread();
const port = parentPort;
port?.on('message', (task: PackingTask) => {
  let answer: PackingAnswer;
  try {
    answer = { kind: 'packed', segments: runTask(task) };
  } catch (error) {
    answer =
      error instanceof DamagedPart
        ? { kind: 'damaged', segment: error.segment, part: error.part, cause: error.cause }
        : { kind: 'failed', error };
  }
  port.postMessage(answer, answer.kind === 'packed' ? transferable(answer.segments) : []);
});
