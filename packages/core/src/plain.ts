// The part of @quarterdeck/core that checks no input, as "@quarterdeck/core/plain". A thread has modules of its own: with
// the schemas of the contract it would be 20 MB larger and start 0.2 s later.
export * from './domain/ascii.ts';
export * from './domain/level.ts';
export * from './domain/mute.ts';
export * from './domain/times.ts';
export * from './errors.ts';
