// Words for numbers, times and durations, and the cleaning of text from outside.
export * from './clean.ts';
export * from './curl.ts';
export * from './format.ts';
export * from './message.ts';
export * from './shorten.ts';
export * from './simple.ts';
export * from './tone.ts';
export * from './version.ts';
export * from './zone.ts';
