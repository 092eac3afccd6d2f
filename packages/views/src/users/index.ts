// The own account and other users.
export * from './account-questions.ts';
export * from './check-password.ts';
