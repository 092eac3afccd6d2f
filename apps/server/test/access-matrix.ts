// Access to every endpoint, written by hand: the tests compare the contract, the roles and the server with it. They
// fail for an endpoint without a row here, and for a row without an endpoint.
import type { Permission, RoleName } from '@quarterdeck/core';

/** Allowed callers of an endpoint. */
export type Row =
  /** Anybody; a user by session or by API token of any scope; a user by one of the two only; an agent for itself. */
  | { readonly by: 'anybody' | 'person' | 'session' | 'api_token' | 'agent' }
  /**
   * Users of these roles by session, by an API token without scopes, or by one with this scope; agents if `agents` is
   * set. `confirmed`: by no API token, and by session only after a recent confirmation. `data`: a further scope, which
   * the service requires for the data that the request of the tests is about.
   */
  | {
      readonly roles: readonly RoleName[];
      readonly scope: Permission;
      readonly agents?: true;
      readonly confirmed?: true;
      readonly data?: Permission;
    };

const all: readonly RoleName[] = ['master', 'operator', 'viewer'];
const operators: readonly RoleName[] = ['master', 'operator'];
const masters: readonly RoleName[] = ['master'];

/** `noun.verb` of each endpoint, and one word for those outside the contract. */
export const MATRIX: Readonly<Record<string, Row>> = {
  'errlog.list': { roles: all, scope: 'errlog:read' },
  'errlog.get': { roles: all, scope: 'errlog:read' },
  'errlog.occurrences': { roles: all, scope: 'errlog:read' },
  'errlog.odd': { roles: all, scope: 'errlog:read' },
  'errlog.changes': { roles: all, scope: 'errlog:read' },
  'errlog.sources': { roles: all, scope: 'errlog:read' },
  'errlog.histogram': { roles: all, scope: 'errlog:read' },
  'errlog.facets': { roles: all, scope: 'errlog:read' },
  'errlog.update': { roles: operators, scope: 'errlog:manage' },
  'errlog.bulk': { roles: operators, scope: 'errlog:manage' },
  'errlog.merge': { roles: operators, scope: 'errlog:manage' },
  'errlog.split': { roles: operators, scope: 'errlog:manage' },
  'errlog.history': { roles: all, scope: 'errlog:read' },
  'errlog.rules': { roles: all, scope: 'errlog:read' },
  'errlog.addRule': { roles: operators, scope: 'errlog:manage' },
  'errlog.removeRule': { roles: operators, scope: 'errlog:manage' },
  'line.list': { roles: all, scope: 'errlog:read' },
  'ledger.list': { roles: all, scope: 'errlog:read' },
  'line.erase': { roles: masters, scope: 'errlog:erase' },
  'line.get': { roles: all, scope: 'errlog:read' },
  'line.context': { roles: all, scope: 'errlog:read' },
  'line.values': { roles: all, scope: 'errlog:read' },
  'line.histogram': { roles: all, scope: 'errlog:read' },
  'errlog.append': { roles: operators, scope: 'errlog:write', agents: true },

  'apiToken.list': { roles: all, scope: 'api_token:read' },
  'apiToken.get': { roles: all, scope: 'api_token:read' },
  'apiToken.use': { roles: all, scope: 'api_token:read' },
  'apiToken.narrow': { roles: all, scope: 'api_token:write' },
  'apiToken.create': { roles: all, scope: 'api_token:write' },
  'apiToken.update': { roles: all, scope: 'api_token:write' },
  'apiToken.remove': { roles: all, scope: 'api_token:write' },
  'apiToken.rotate': { roles: all, scope: 'api_token:write' },
  'apiToken.disable': { roles: all, scope: 'api_token:write' },
  'apiToken.enable': { roles: all, scope: 'api_token:write' },
  'apiToken.self': { by: 'api_token' },
  'apiToken.removeSelf': { by: 'api_token' },
  'apiToken.revoke': { by: 'anybody' },
  'apiToken.exchange': { by: 'anybody' },
  'trust.list': { roles: masters, scope: 'api_token:manage' },
  'trust.get': { roles: masters, scope: 'api_token:manage' },
  'trust.create': { roles: masters, scope: 'api_token:manage' },
  'trust.update': { roles: masters, scope: 'api_token:manage' },
  'trust.remove': { roles: masters, scope: 'api_token:manage' },

  'agent.list': { roles: all, scope: 'agent:read' },
  'agent.get': { roles: all, scope: 'agent:read' },
  'agent.totals': { roles: all, scope: 'agent:read' },
  'agent.events': { roles: all, scope: 'agent:read' },
  'agent.vitals': { roles: all, scope: 'agent:read' },
  'agent.odd': { roles: all, scope: 'agent:read' },
  'agent.diff': { roles: operators, scope: 'agent:write' },
  'agent.update': { roles: operators, scope: 'agent:write' },
  'agent.remove': { roles: operators, scope: 'agent:write' },
  'agent.restore': { roles: operators, scope: 'agent:write' },
  'agent.purge': { roles: operators, scope: 'agent:write' },
  'agent.bulk': { roles: operators, scope: 'agent:write' },
  'agentOperation.list': { roles: all, scope: 'agent:read' },
  'agentOperation.create': { roles: operators, scope: 'agent:write' },
  'agentOperation.cancel': { roles: operators, scope: 'agent:write' },
  'kernelRule.list': { roles: all, scope: 'agent:read' },
  'kernelRule.create': { roles: operators, scope: 'agent:write' },
  'kernelRule.remove': { roles: operators, scope: 'agent:write' },
  'change.list': { roles: all, scope: 'agent:read' },
  'change.get': { roles: all, scope: 'agent:read' },
  'change.effects': { roles: all, scope: 'errlog:read' },
  'change.create': { roles: operators, scope: 'change:write' },
  'outage.list': { roles: all, scope: 'agent:read' },
  'alert.instances': { roles: all, scope: 'alert:read' },
  'alert.instance': { roles: all, scope: 'alert:read' },
  'alert.acknowledge': { roles: operators, scope: 'alert:write' },
  'alert.assign': { roles: operators, scope: 'alert:write' },
  'alert.mute': { roles: operators, scope: 'alert:write' },
  'link.createForAlert': { roles: operators, scope: 'alert:write' },
  'link.ofAlert': { roles: operators, scope: 'alert:write' },
  'link.removeOfAlert': { roles: operators, scope: 'alert:write' },
  'link.createForError': { roles: operators, scope: 'errlog:manage' },
  'link.ofError': { roles: operators, scope: 'errlog:manage' },
  'link.removeOfError': { roles: operators, scope: 'errlog:manage' },
  'alert.channels': { roles: all, scope: 'alert:read' },
  'alert.preview': { roles: operators, scope: 'alert:write', data: 'errlog:read' },
  'alert.list': { roles: all, scope: 'alert:read' },
  'alert.get': { roles: all, scope: 'alert:read' },
  'alert.create': { roles: operators, scope: 'alert:write', data: 'errlog:read' },
  'alert.update': { roles: operators, scope: 'alert:write' },
  'alert.remove': { roles: operators, scope: 'alert:write' },
  'alert.explain': { roles: all, scope: 'alert:read' },
  'alert.test': { roles: operators, scope: 'alert:write' },
  'enrollment.list': { roles: operators, scope: 'enrollment:manage' },
  'enrollment.create': { roles: operators, scope: 'enrollment:manage' },
  'enrollment.get': { roles: operators, scope: 'enrollment:manage' },
  'enrollment.update': { roles: operators, scope: 'enrollment:manage' },
  'enrollment.remove': { roles: operators, scope: 'enrollment:manage' },
  'agent.register': { roles: operators, scope: 'agent:enroll' },
  'agent.heartbeat': { by: 'agent' },
  'agent.shutdown': { by: 'agent' },

  'user.login': { by: 'anybody' },
  'user.providers': { by: 'anybody' },
  'deviceLogin.start': { by: 'anybody' },
  'deviceLogin.find': { by: 'session' },
  'deviceLogin.confirm': { by: 'session' },
  'deviceLogin.token': { by: 'anybody' },
  'identity.list': { roles: masters, scope: 'user:read' },
  'identity.create': { roles: masters, scope: 'user:write', confirmed: true },
  'identity.remove': { roles: masters, scope: 'user:write', confirmed: true },
  'user.logout': { by: 'session' },
  'user.me': { by: 'person' },
  'user.confirm': { by: 'session' },
  'user.changePassword': { by: 'session' },
  'user.beginSecondFactor': { by: 'session' },
  'user.confirmSecondFactor': { by: 'session' },
  'user.removeSecondFactor': { by: 'session' },
  'user.sessions': { by: 'session' },
  'user.removeSession': { by: 'session' },
  'user.removeOtherSessions': { by: 'session' },

  'user.list': { roles: masters, scope: 'user:read' },
  'user.search': { roles: masters, scope: 'user:read' },
  'user.get': { roles: masters, scope: 'user:read' },
  'user.policy': { roles: masters, scope: 'user:read' },
  'userGroup.list': { roles: masters, scope: 'user:read' },
  'user.create': { roles: masters, scope: 'user:write' },
  'user.update': { roles: masters, scope: 'user:write' },
  'user.remove': { roles: masters, scope: 'user:write' },
  'user.updatePolicy': { roles: masters, scope: 'user:write', confirmed: true },
  'user.resetSecondFactor': { roles: masters, scope: 'user:write', confirmed: true },
  'user.endSessions': { roles: masters, scope: 'user:write' },
  'user.unlock': { roles: masters, scope: 'user:write', confirmed: true },

  'webhook.list': { roles: masters, scope: 'webhook:manage' },
  'webhook.get': { roles: masters, scope: 'webhook:manage' },
  'webhook.create': { roles: masters, scope: 'webhook:manage' },
  'webhook.update': { roles: masters, scope: 'webhook:manage' },
  'webhook.remove': { roles: masters, scope: 'webhook:manage' },
  'webhook.rotate': { roles: masters, scope: 'webhook:manage' },
  'webhook.test': { roles: masters, scope: 'webhook:manage' },
  'webhook.deliveries': { roles: masters, scope: 'webhook:manage' },
  'webhook.delivery': { roles: masters, scope: 'webhook:manage' },
  'webhook.redeliver': { roles: masters, scope: 'webhook:manage' },

  'audit.list': { roles: masters, scope: 'audit:read' },
  'audit.verify': { roles: masters, scope: 'audit:read' },

  'system.version': { by: 'person' },
  'system.profileSync': { by: 'person' },
  events: { by: 'person' },
  lineExport: { roles: all, scope: 'errlog:read' },
  export: { roles: all, scope: 'errlog:read' },
  auditExport: { roles: masters, scope: 'audit:read' },
  otlp: { roles: operators, scope: 'errlog:write', agents: true },
  loki: { roles: operators, scope: 'errlog:write', agents: true },
  bulk: { roles: operators, scope: 'errlog:write', agents: true },
  bulkOfIndex: { roles: operators, scope: 'errlog:write', agents: true },
  sentryEnvelope: { roles: operators, scope: 'errlog:write', agents: true },
  sentryStore: { roles: operators, scope: 'errlog:write', agents: true },
  webhookCallback: { by: 'anybody' },
  oidcStart: { by: 'anybody' },
  oidcCallback: { by: 'anybody' },
  oidcSignOut: { by: 'anybody' },
  oidcLogout: { by: 'anybody' },
  metrics: { roles: all, scope: 'metrics:read' },
  mcp: { by: 'api_token' },
};

/** Public paths outside the contract. */
export const OPEN_PATHS = ['/', '/healthz', '/readyz', '/openapi.json', '/docs'];
