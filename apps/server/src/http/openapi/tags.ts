// Groups of operations.
import type { contract } from '@quarterdeck/core';

/** Group of an operation: its noun in the contract. */
export type Tag = keyof typeof contract | 'event';

/** Tag -> its operations, for people, in the order of the documentation. */
export const TAGS: Readonly<Record<Tag, string>> = {
  errlog: 'Error logs: groups of equal errors, their states and their occurrences.',
  line: 'Stored lines: search, values, histograms, context and erasure.',
  ledger: 'Lines read, sent, received, stored and lost, by source and minute.',
  event: 'Changes as they happen, as server-sent events.',
  agent: 'Agents on the hosts of the fleet: facts, states and histories.',
  agentOperation: 'Operations that an agent runs on request.',
  enrollment: 'Enrollment tokens, which register new agents.',
  kernelRule: 'Patterns of kernels that are known to be bad.',
  outage: 'Outages: many agents that went silent together.',
  change: 'Changes from outside, such as deployments, and their effects on errors.',
  alert: 'Alerts: rules that decide when somebody is notified, and the causes that they found.',
  link: 'Read-only links, which show one alert or one group of errors to whoever has them.',
  apiToken: 'API tokens: long-lived credentials of programs.',
  deviceLogin: 'Sign-in at a terminal, with a code that a person confirms in a browser.',
  trust: 'Trust rules: jobs of CI exchange the id token of their issuer for an API token.',
  user: 'Users: signing in, the own account, and the accounts of others.',
  identity: 'People of providers (OpenID Connect) who sign in as a user.',
  userGroup: 'Groups of users, for the official client; there are none.',
  webhook: 'Channels that messages go to, and their deliveries.',
  audit: 'Audit log: who did what, in a chain that shows tampering.',
  system: 'The server itself: version, health, metrics and documentation.',
};
