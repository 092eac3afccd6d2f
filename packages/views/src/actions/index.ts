// Changes of several objects, and their undoing.
export * from './each.ts';
export * from './undo.ts';
