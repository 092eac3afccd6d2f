// Alerts and their rules in words.
export * from './alert-parts.ts';
export * from './alert-questions.ts';
export * from './alert-words.ts';
export * from './alerts.ts';
export * from './detail-words.ts';
