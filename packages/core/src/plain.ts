// The part of @quarterdeck/core that checks no input, as "@quarterdeck/core/plain". A thread has modules of its own: with
// the schemas of the contract a thread would be 6 MB larger and start in twice the time.
export * from './domain/ascii.ts';
export * from './domain/level.ts';
export * from './domain/mute.ts';
export * from './domain/times.ts';
export * from './errors.ts';
