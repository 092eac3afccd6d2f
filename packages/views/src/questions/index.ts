// Questions that actions ask before, as data.
export * from './confirm-each.ts';
export * from './mute-form.ts';
export * from './object-groups.ts';
export * from './question.ts';
export * from './question-context.ts';
