// Stored lines: requests, fields, and the list that follows live lines.
export * from './first-lines.ts';
export * from './line-fields.ts';
export * from './line-rows.ts';
export * from './lines.ts';
export * from './lines-reducer.ts';
export * from './lines-state.ts';
