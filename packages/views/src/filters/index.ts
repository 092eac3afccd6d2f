// The filter language: reading a text, completing it, narrowing it by values.
export * from './arguments.ts';
export * from './completion.ts';
export * from './filter-forms.ts';
export * from './filter-input.ts';
export * from './filter-values.ts';
export * from './next-completion.ts';
export * from './read-completions.ts';
export * from './read-filter.ts';
export * from './suggest-filter.ts';
export * from './with-change.ts';
