// The reads of the overview, also those that start before a screen is drawn.
export * from './ahead.ts';
export * from './overview-read.ts';
