// The public surface of @quarterdeck/core. The database is behind "@quarterdeck/core/db".
export * from './auth/actor.ts';
export * from './auth/can.ts';
export * from './auth/permissions.ts';
export * from './auth/secret.ts';
export * from './base/envelope.ts';
export * from './base/errlog-states.ts';
export * from './base/issues.ts';
export * from './contract/access-text.ts';
export * from './contract/endpoint.ts';
export { contract } from './contract/index.ts';
export { parseInput, type RawInput } from './contract/parse-input.ts';
export {
  checkUnknownInput,
  IGNORED_HEADER,
  ignoredHeader,
  isOpenBody,
  type NamedInput,
} from './contract/unknown-input.ts';
export * from './domain/agent.ts';
export * from './domain/agent-event.ts';
export * from './domain/agent-filter.ts';
export * from './domain/agent-match.ts';
export * from './domain/agent-operation.ts';
export * from './domain/alert.ts';
export * from './domain/alert-explain.ts';
export * from './domain/alert-instance.ts';
export * from './domain/api-token.ts';
export * from './domain/audit.ts';
export * from './domain/bulk.ts';
export * from './domain/change.ts';
export * from './domain/change-effects.ts';
export * from './domain/device-login.ts';
export * from './domain/enrollment.ts';
export * from './domain/errlog.ts';
export * from './domain/errlog-changes.ts';
export * from './domain/errlog-grouping.ts';
export * from './domain/errlog-live-filters.ts';
export * from './domain/errlog-match.ts';
export * from './domain/event.ts';
export * from './domain/filter.ts';
export * from './domain/host-certificate.ts';
export * from './domain/host-change.ts';
export * from './domain/identity.ts';
export * from './domain/issuer.ts';
export * from './domain/kernel-rule.ts';
export * from './domain/ledger.ts';
export * from './domain/line.ts';
export * from './domain/mute-until.ts';
export * from './domain/odd.ts';
export * from './domain/page.ts';
export { isHttpTarget, queryFlag, queryInt, text, UnixFraction, UnixMs, UnixSeconds } from './domain/primitives.ts';
export * from './domain/shared-link.ts';
export * from './domain/subjects.ts';
export * from './domain/system.ts';
export * from './domain/trust.ts';
export * from './domain/user.ts';
export * from './domain/vitals.ts';
export * from './domain/webhook.ts';
export * from './domain/webhook-kind.ts';
export * from './filter/index.ts';
export { NOUN_DESCRIPTIONS, NOUNS, type NounName } from './generated/nouns.ts';
export * from './plain.ts';
