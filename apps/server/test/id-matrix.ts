// Access by id, written by hand: callers of an endpoint with an id of their own, and with a foreign one. The access
// tests fail for an endpoint with a placeholder and no row here.
import type { ErrorCode } from '@quarterdeck/core';

/** Answer to a caller that the access matrix allows. */
export type Outcome = 'ok' | Extract<ErrorCode, 'forbidden' | 'reauthentication_required' | 'not_found'>;

/** The same for every caller, or by kind of credential. */
export type Outcomes =
  | Outcome
  | { readonly confirmed: Outcome; readonly session: Outcome; readonly token: Outcome }
  /** By whether the caller may manage the tokens of all. */
  | { readonly manager: Outcome; readonly others: Outcome };

/** One endpoint, with one body. */
export interface IdRow {
  readonly endpoint: string;
  /** The noun that the id names. Only agents have an agent of their own: themselves. */
  readonly of: 'user' | 'session' | 'api_token' | 'agent';
  /** Sent in place of the smallest body. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly own: Outcomes;
  readonly other: Outcomes;
}

/** A session has to be confirmed; an API token is refused. */
const personal = { confirmed: 'ok', session: 'reauthentication_required', token: 'forbidden' } as const;
const managed = { manager: 'ok', others: 'not_found' } as const;

export const ID_MATRIX: readonly IdRow[] = [
  { endpoint: 'user.get', of: 'user', own: 'ok', other: 'ok' },
  { endpoint: 'user.update', of: 'user', body: { disabled: false }, own: 'ok', other: 'ok' },
  // Callers here are masters, and the other users have the role of the caller.
  { endpoint: 'user.update', of: 'user', body: { role: 'viewer' }, own: personal, other: personal },
  { endpoint: 'user.update', of: 'user', body: { disabled: true }, own: personal, other: personal },
  {
    endpoint: 'user.update',
    of: 'user',
    body: { password: 'eleven tugboats at anchor' },
    own: 'forbidden',
    other: personal,
  },
  { endpoint: 'user.remove', of: 'user', own: personal, other: personal },
  { endpoint: 'user.resetSecondFactor', of: 'user', own: 'forbidden', other: 'ok' },
  { endpoint: 'user.endSessions', of: 'user', own: 'ok', other: 'ok' },
  { endpoint: 'user.unlock', of: 'user', own: 'ok', other: 'ok' },
  { endpoint: 'identity.list', of: 'user', own: 'ok', other: 'ok' },
  { endpoint: 'identity.create', of: 'user', own: 'ok', other: 'ok' },
  // No link has the id of the example.
  { endpoint: 'identity.remove', of: 'user', own: 'not_found', other: 'not_found' },
  { endpoint: 'user.removeSession', of: 'session', own: 'ok', other: 'not_found' },
  { endpoint: 'apiToken.get', of: 'api_token', own: 'ok', other: managed },
  { endpoint: 'apiToken.use', of: 'api_token', own: 'ok', other: managed },
  { endpoint: 'apiToken.narrow', of: 'api_token', own: 'ok', other: managed },
  { endpoint: 'apiToken.update', of: 'api_token', body: { name: 'renamed' }, own: 'ok', other: managed },
  { endpoint: 'apiToken.rotate', of: 'api_token', own: 'ok', other: managed },
  { endpoint: 'apiToken.disable', of: 'api_token', own: 'ok', other: managed },
  { endpoint: 'apiToken.enable', of: 'api_token', own: 'ok', other: managed },
  { endpoint: 'apiToken.remove', of: 'api_token', own: 'ok', other: managed },
  { endpoint: 'agent.heartbeat', of: 'agent', own: 'ok', other: 'not_found' },
  { endpoint: 'agent.shutdown', of: 'agent', own: 'ok', other: 'not_found' },
  { endpoint: 'agent.get', of: 'agent', own: 'ok', other: 'ok' },
  { endpoint: 'agent.events', of: 'agent', own: 'ok', other: 'ok' },
  { endpoint: 'agent.vitals', of: 'agent', own: 'ok', other: 'ok' },
  { endpoint: 'agent.odd', of: 'agent', own: 'ok', other: 'ok' },
  { endpoint: 'agent.update', of: 'agent', own: 'ok', other: 'ok' },
  { endpoint: 'agent.remove', of: 'agent', own: 'ok', other: 'ok' },
  { endpoint: 'agent.restore', of: 'agent', own: 'ok', other: 'ok' },
  { endpoint: 'agent.purge', of: 'agent', own: 'ok', other: 'ok' },
];

/** Endpoints whose id names an object without an owner: the access matrix is enough. */
export const OWNED_BY_NOBODY: readonly string[] = [
  'agent.diff',
  'agentOperation.cancel',
  'alert.instance',
  'alert.acknowledge',
  'alert.assign',
  'alert.mute',
  'alert.get',
  'trust.get',
  'trust.update',
  'trust.remove',
  'alert.update',
  'alert.remove',
  'alert.explain',
  'alert.test',
  'change.get',
  'change.effects',
  'enrollment.get',
  'enrollment.update',
  'enrollment.remove',
  'errlog.get',
  'errlog.occurrences',
  'errlog.changes',
  'errlog.odd',
  'errlog.update',
  'errlog.split',
  'errlog.history',
  'kernelRule.remove',
  'line.get',
  'link.createForAlert',
  'link.createForError',
  'link.ofAlert',
  'link.ofError',
  'link.removeOfAlert',
  'link.removeOfError',
  'line.context',
  'webhook.get',
  'webhook.update',
  'webhook.remove',
  'webhook.rotate',
  'webhook.test',
  'webhook.deliveries',
  'webhook.delivery',
  'webhook.redeliver',
  'system.profileSync',
];
