// Sources of lines and their traffic.
export * from './ledger.ts';
