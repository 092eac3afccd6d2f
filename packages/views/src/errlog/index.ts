// Errors: requests, filters, sources, and the list that follows live events.

export * from './errlog.ts';
export * from './errlog-filter-source.ts';
export * from './errlog-grouping.ts';
export * from './errlog-preview.ts';
export * from './errlog-questions.ts';
export * from './errlog-range.ts';
export * from './errlog-reducer.ts';
export * from './errlog-state.ts';
export * from './filter-changes.ts';
export * from './levels.ts';
export * from './newest-line.ts';
export * from './source-names.ts';
