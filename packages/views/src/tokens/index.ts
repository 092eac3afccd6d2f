// API tokens.
export * from './api-tokens.ts';
export * from './expiring-tokens.ts';
