// Changes of several objects, and their undoing.
export * from './confirmed.ts';
export * from './each.ts';
export * from './rights.ts';
export * from './run-action.ts';
export * from './undo.ts';
