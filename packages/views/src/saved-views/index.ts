// Saved views of lists, read from stores that may be damaged.
export * from './saved-views.ts';
export * from './stored.ts';
