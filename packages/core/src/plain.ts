// The part of @quarterdeck/core without schemas, as "@quarterdeck/core/plain". A thread loads its own modules: the
// schemas of the contract would add 6 MB and double its start time.
export * from './auth/can.ts';
export * from './auth/permissions.ts';
export * from './base/agent-states.ts';
export * from './base/ascii.ts';
export * from './base/errlog-states.ts';
export * from './base/errors.ts';
export * from './base/integer.ts';
export * from './base/level.ts';
export * from './base/nearest.ts';
export * from './base/times.ts';
export * from './base/visible-text.ts';
export type { Method } from './contract/method.ts';
export * from './domain/alert-kinds.ts';
export * from './domain/disk-trend.ts';
export * from './domain/endless-alerts.ts';
export * from './domain/host-change-kinds.ts';
export * from './domain/loss-stages.ts';
export * from './domain/mute.ts';
export * from './domain/password-length.ts';
export * from './domain/vitals-limits.ts';
export * from './domain/vitals-use.ts';
export * from './domain/webhook-kinds.ts';
export * from './entity-tag.ts';
export * from './json-bytes.ts';
export * from './small-text.ts';
