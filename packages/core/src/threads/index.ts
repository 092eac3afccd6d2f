// Work beside other work: pauses, refusals that travel, priorities; as "@quarterdeck/core/threads". Node only.
export { EventLoopYield } from './event-loop-yield.ts';
export { type PackedRefusal, packRefusal, unpackRefusal } from './packed-refusal.ts';
export { yieldToMainThread } from './thread-priority.ts';
