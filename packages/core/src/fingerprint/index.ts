// The public surface of "@quarterdeck/core/fingerprint": which errors are the same. For Node only.
export * from './chosen-fingerprint.ts';
export { fingerprint, hasTrace, normalForm } from './fingerprint.ts';
