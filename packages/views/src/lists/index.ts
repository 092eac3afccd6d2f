// The selection of a list whose rows come and go.
export * from './cursor.ts';
