// Alerts and their rules in words.
export * from './alert-parts.ts';
export * from './alert-words.ts';
