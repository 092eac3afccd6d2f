// Failures of requests in words.
export * from './failure.ts';
export * from './not-confirmed.ts';
