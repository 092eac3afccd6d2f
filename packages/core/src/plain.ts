// The part of @quarterdeck/core without schemas, as "@quarterdeck/core/plain". A thread loads its own modules: the
// schemas of the contract would add 6 MB and double its start time.
export * from './domain/ascii.ts';
export * from './domain/errlog-states.ts';
export * from './domain/level.ts';
export * from './domain/mute.ts';
export * from './domain/times.ts';
export * from './errors.ts';
