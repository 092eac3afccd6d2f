// The event stream in batches, with the state of its connection.
export * from './feed.ts';
