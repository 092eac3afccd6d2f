// API tokens.
export * from './api-tokens.ts';
export * from './expiring-tokens.ts';
export * from './expiry.ts';
export * from './first-token.ts';
export * from './token-questions.ts';
export * from './token-words.ts';
