// Changes from outside, and the changes before an error, in words.
export * from './change-words.ts';
export * from './effect-words.ts';
export * from './suspect-words.ts';
