// Time ranges, and moments that people type.
export * from './chart-window.ts';
export * from './parse-time.ts';
export * from './range.ts';
