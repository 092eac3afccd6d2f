// The event stream in batches, with the state of its connection.
export * from './event-messages.ts';
export * from './feed.ts';
