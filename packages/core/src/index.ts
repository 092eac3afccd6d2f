// The public surface of @quarterdeck/core. The database is behind "@quarterdeck/core/db".
export * from './auth/actor.ts';
export * from './auth/can.ts';
export * from './auth/permissions.ts';
export * from './auth/secret.ts';
export * from './contract/endpoint.ts';
export { contract } from './contract/index.ts';
export * from './domain/agent.ts';
export * from './domain/agent-event.ts';
export * from './domain/agent-filter.ts';
export * from './domain/agent-operation.ts';
export * from './domain/api-token.ts';
export * from './domain/audit.ts';
export * from './domain/bulk.ts';
export * from './domain/enrollment.ts';
export * from './domain/errlog.ts';
export * from './domain/errlog-changes.ts';
export * from './domain/errlog-match.ts';
export * from './domain/event.ts';
export * from './domain/kernel-rule.ts';
export * from './domain/level.ts';
export * from './domain/mute.ts';
export * from './domain/page.ts';
export {
  dateFromMs,
  dateFromSeconds,
  queryFlag,
  queryInt,
  text,
} from './domain/primitives.ts';
export * from './domain/user.ts';
export * from './envelope.ts';
export * from './errors.ts';
export * from './issues.ts';
