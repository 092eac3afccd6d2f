// States of reads, windows of long lists, and the completeness of answers.
export * from './completeness.ts';
export * from './debounce.ts';
export * from './lists.ts';
export * from './query.ts';
export * from './row-query.ts';
export * from './row-window.ts';
export * from './stale.ts';
export * from './window.ts';
