// Written by packages/sdk/generate: `pnpm generate`.
import type { Call, ListCall, NoInput } from '../client.ts';
import type {
  Agent,
  AgentBulk,
  AgentChange,
  AgentEnrolled,
  AgentEvent,
  AgentEventKind,
  AgentFacts,
  AgentRegistration,
  AgentTotals,
  Alert,
  AlertAcknowledgement,
  AlertAssignment,
  AlertChannel,
  AlertExplanation,
  AlertInstance,
  AlertMoment,
  AlertMute,
  AlertPreview,
  AlertRule,
  AlertRuleChange,
  AlertRuleDraft,
  AlertRuleTrial,
  AlertState,
  AlertTest,
  ApiToken,
  ApiTokenChange,
  ApiTokenDraft,
  ApiTokenRevocation,
  ApiTokenRotation,
  ApiTokensRevoked,
  AskingDevice,
  AuditEntry,
  AuditVerdict,
  BulkResult,
  Change,
  ChangeDraft,
  ChangeEffects,
  ChangeReceipt,
  Confirmation,
  Confirmed,
  DeliveryState,
  DeviceCodes,
  DeviceDecision,
  DeviceQuery,
  DeviceStart,
  DeviceTokenRequest,
  Enrollment,
  EnrollmentChange,
  EnrollmentDraft,
  ErrlogBulk,
  ErrlogChange,
  ErrlogChanges,
  ErrlogEntry,
  ErrlogFacets,
  ErrlogHistogram,
  ErrlogLine,
  ErrlogOccurrence,
  ErrlogPage,
  ErrlogReceipt,
  ErrlogSource,
  FoundUser,
  HeartbeatResponse,
  HostChangeDiff,
  Identity,
  IdentityDraft,
  KernelRule,
  KernelRuleDraft,
  LedgerPage,
  Line,
  LineContext,
  LineErase,
  LineErased,
  LineHistogram,
  LinePage,
  LineValues,
  Login,
  LoginResult,
  Me,
  NewApiToken,
  NewEnrollment,
  NewWebhook,
  Operation,
  OperationDraft,
  OperationState,
  Outage,
  Page,
  PasswordChange,
  ProfileSync,
  RecoveryCodes,
  SecondFactorConfirmation,
  SecondFactorDraft,
  SecondFactorRemoval,
  SecondFactorStart,
  ServerVersion,
  Session,
  SignInProviders,
  User,
  UserChange,
  UserDraft,
  UserPolicy,
  Webhook,
  WebhookChange,
  WebhookDelivery,
  WebhookDraft,
  WebhookRotation,
} from './nouns.ts';

/** Query of `client.errlog.list`. */
export interface ErrlogListQuery {
  /** From 1; default 1 */
  page?: number | undefined;
  /** Default 20; 0 returns the count alone */
  page_size?: number | undefined;
  /** 0-based offset; overrides page */
  start?: number | undefined;
  /** 0-based offset, exclusive */
  end?: number | undefined;
  /**
   * Reads the whole list although its order moves: empty for the first page, then meta.next of the page before. No row
   * is left out; rows that moved may come again
   */
  cursor?: string | undefined;
  node_id?: number | undefined;
  /** 0 global, 1 admin site, 2 log server */
  node_type?: number | undefined;
  /** This level exactly */
  level?: number | undefined;
  /** This level or more severe */
  level_max?: number | undefined;
  app_id?: number | undefined;
  /** Program that writes the lines */
  service?: string | undefined;
  /** Groups with a stored line of this request id */
  req_id?: string | number | undefined;
  /** Source id */
  src?: number | undefined;
  /** Groups that happened at this time or later, Unix seconds */
  start_time?: number | undefined;
  /** Groups that happened at this time or earlier, Unix seconds */
  end_time?: number | undefined;
  /** One or more of new, ongoing, regressed, muted, resolved, comma-separated */
  state?: string | undefined;
  /** Groups with a stored line that contains this, taken literally; ASCII letters in any case */
  q?: string | undefined;
  /** Filter language: text, "phrases", /expressions/, field:value, OR, -term and (groups); at most 4 KiB */
  filter?: string | undefined;
  /** The same error on every source */
  fingerprint?: string | undefined;
  /** Default -log_time; with rollup only -log_time, -count and count */
  sort?: '-log_time' | 'log_time' | '-first_seen' | 'first_seen' | '-count' | 'count' | undefined;
  /** Default 0; 1 shows the same error on several sources as one row */
  rollup?: boolean | undefined;
  /** Default 0; 1 adds fields beyond the specification */
  detail?: number | undefined;
}

/** Input of `client.errlog.list`. */
export interface ErrlogListInput {
  query?: ErrlogListQuery;
}

/** Query of `client.errlog.append`. */
export interface ErrlogAppendQuery {
  /** Show how lines would be grouped, without storing them */
  dry_run?: boolean | undefined;
}

/** Input of `client.errlog.append`. */
export interface ErrlogAppendInput {
  query?: ErrlogAppendQuery;
  body: ErrlogLine[] | ErrlogLine;
}

/** Query of `client.errlog.histogram`. */
export interface ErrlogHistogramQuery {
  node_id?: number | undefined;
  /** 0 global, 1 admin site, 2 log server */
  node_type?: number | undefined;
  /** This level exactly */
  level?: number | undefined;
  /** This level or more severe */
  level_max?: number | undefined;
  app_id?: number | undefined;
  /** Program that writes the lines */
  service?: string | undefined;
  /** Groups with a stored line of this request id */
  req_id?: string | number | undefined;
  /** Source id */
  src?: number | undefined;
  /** Groups that happened at this time or later, Unix seconds */
  start_time?: number | undefined;
  /** Groups that happened at this time or earlier, Unix seconds */
  end_time?: number | undefined;
  /** One or more of new, ongoing, regressed, muted, resolved, comma-separated */
  state?: string | undefined;
  /** Groups with a stored line that contains this, taken literally; ASCII letters in any case */
  q?: string | undefined;
  /** Filter language: text, "phrases", /expressions/, field:value, OR, -term and (groups); at most 4 KiB */
  filter?: string | undefined;
  /** The same error on every source */
  fingerprint?: string | undefined;
  /** Maximum number of buckets; default 60 */
  buckets?: number | undefined;
}

/** Input of `client.errlog.histogram`. */
export interface ErrlogHistogramInput {
  query?: ErrlogHistogramQuery;
}

/** Query of `client.errlog.facets`. */
export interface ErrlogFacetsQuery {
  node_id?: number | undefined;
  /** 0 global, 1 admin site, 2 log server */
  node_type?: number | undefined;
  /** This level exactly */
  level?: number | undefined;
  /** This level or more severe */
  level_max?: number | undefined;
  app_id?: number | undefined;
  /** Program that writes the lines */
  service?: string | undefined;
  /** Groups with a stored line of this request id */
  req_id?: string | number | undefined;
  /** Source id */
  src?: number | undefined;
  /** Groups that happened at this time or later, Unix seconds */
  start_time?: number | undefined;
  /** Groups that happened at this time or earlier, Unix seconds */
  end_time?: number | undefined;
  /** One or more of new, ongoing, regressed, muted, resolved, comma-separated */
  state?: string | undefined;
  /** Groups with a stored line that contains this, taken literally; ASCII letters in any case */
  q?: string | undefined;
  /** Filter language: text, "phrases", /expressions/, field:value, OR, -term and (groups); at most 4 KiB */
  filter?: string | undefined;
  /** The same error on every source */
  fingerprint?: string | undefined;
  top?: number | undefined;
}

/** Input of `client.errlog.facets`. */
export interface ErrlogFacetsInput {
  query?: ErrlogFacetsQuery;
}

/** Query of `client.errlog.bulk`. */
export interface ErrlogBulkQuery {
  /** Same as in the body */
  dry_run?: boolean | undefined;
}

/** Input of `client.errlog.bulk`. */
export interface ErrlogBulkInput {
  query?: ErrlogBulkQuery;
  body: ErrlogBulk;
}

/** Input of `client.errlog.get`. */
export interface ErrlogGetInput {
  params: {
    id: number;
  };
}

/** Input of `client.errlog.update`. */
export interface ErrlogUpdateInput {
  params: {
    id: number;
  };
  body?: ErrlogChange;
}

/** Query of `client.errlog.occurrences`. */
export interface ErrlogOccurrencesQuery {
  /** From 1; default 1 */
  page?: number | undefined;
  /** Default 20; 0 returns the count alone */
  page_size?: number | undefined;
  /** 0-based offset; overrides page */
  start?: number | undefined;
  /** 0-based offset, exclusive */
  end?: number | undefined;
}

/** Input of `client.errlog.occurrences`. */
export interface ErrlogOccurrencesInput {
  params: {
    id: number;
  };
  query?: ErrlogOccurrencesQuery;
}

/** Query of `client.errlog.changes`. */
export interface ErrlogChangesQuery {
  /** Seconds to look back; default 3600 */
  within?: number | undefined;
  /** Changes per window; default 20 */
  limit?: number | undefined;
}

/** Input of `client.errlog.changes`. */
export interface ErrlogChangesInput {
  params: {
    id: number;
  };
  query?: ErrlogChangesQuery;
}

/** Query of `client.errlog.sources`. */
export interface ErrlogSourcesQuery {
  /** From 1; default 1 */
  page?: number | undefined;
  /** Default 20; 0 returns the count alone */
  page_size?: number | undefined;
  /** 0-based offset; overrides page */
  start?: number | undefined;
  /** 0-based offset, exclusive */
  end?: number | undefined;
  /** Part of the name or the address */
  q?: string | undefined;
  /** Sources of this agent */
  agent_id?: number | undefined;
}

/** Input of `client.errlog.sources`. */
export interface ErrlogSourcesInput {
  query?: ErrlogSourcesQuery;
}

/** Query of `client.apiToken.list`. */
export interface ApiTokenListQuery {
  /** From 1; default 1 */
  page?: number | undefined;
  /** Default 20; 0 returns the count alone */
  page_size?: number | undefined;
  /** 0-based offset; overrides page */
  start?: number | undefined;
  /** 0-based offset, exclusive */
  end?: number | undefined;
  /** Default 0; 1 adds fields beyond the specification */
  detail?: number | undefined;
}

/** Input of `client.apiToken.list`. */
export interface ApiTokenListInput {
  query?: ApiTokenListQuery;
}

/** Input of `client.apiToken.revoke`. */
export interface ApiTokenRevokeInput {
  body: ApiTokenRevocation;
}

/** Query of `client.apiToken.get`. */
export interface ApiTokenGetQuery {
  /** Default 0; 1 adds fields beyond the specification */
  detail?: number | undefined;
}

/** Input of `client.apiToken.get`. */
export interface ApiTokenGetInput {
  params: {
    id: number;
  };
  query?: ApiTokenGetQuery;
}

/** Input of `client.apiToken.create`. */
export interface ApiTokenCreateInput {
  body?: ApiTokenDraft;
}

/** Input of `client.apiToken.update`. */
export interface ApiTokenUpdateInput {
  params: {
    id: number;
  };
  body?: ApiTokenChange;
}

/** Input of `client.apiToken.remove`. */
export interface ApiTokenRemoveInput {
  params: {
    id: number;
  };
}

/** Input of `client.apiToken.rotate`. */
export interface ApiTokenRotateInput {
  params: {
    id: number;
  };
  body?: ApiTokenRotation;
}

/** Input of `client.apiToken.disable`. */
export interface ApiTokenDisableInput {
  params: {
    id: number;
  };
}

/** Input of `client.apiToken.enable`. */
export interface ApiTokenEnableInput {
  params: {
    id: number;
  };
}

/** Query of `client.enrollment.list`. */
export interface EnrollmentListQuery {
  /** From 1; default 1 */
  page?: number | undefined;
  /** Default 20; 0 returns the count alone */
  page_size?: number | undefined;
  /** 0-based offset; overrides page */
  start?: number | undefined;
  /** 0-based offset, exclusive */
  end?: number | undefined;
}

/** Input of `client.enrollment.list`. */
export interface EnrollmentListInput {
  query?: EnrollmentListQuery;
}

/** Input of `client.enrollment.create`. */
export interface EnrollmentCreateInput {
  body?: EnrollmentDraft;
}

/** Input of `client.enrollment.get`. */
export interface EnrollmentGetInput {
  params: {
    id: number;
  };
}

/** Input of `client.enrollment.update`. */
export interface EnrollmentUpdateInput {
  params: {
    id: number;
  };
  body?: EnrollmentChange;
}

/** Input of `client.enrollment.remove`. */
export interface EnrollmentRemoveInput {
  params: {
    id: number;
  };
}

/** Query of `client.agentOperation.list`. */
export interface AgentOperationListQuery {
  /** From 1; default 1 */
  page?: number | undefined;
  /** Default 20; 0 returns the count alone */
  page_size?: number | undefined;
  /** 0-based offset; overrides page */
  start?: number | undefined;
  /** 0-based offset, exclusive */
  end?: number | undefined;
  agent_id?: number | undefined;
  state?: OperationState | undefined;
}

/** Input of `client.agentOperation.list`. */
export interface AgentOperationListInput {
  query?: AgentOperationListQuery;
}

/** Input of `client.agentOperation.create`. */
export interface AgentOperationCreateInput {
  body: OperationDraft;
}

/** Input of `client.agentOperation.cancel`. */
export interface AgentOperationCancelInput {
  params: {
    id: number;
  };
}

/** Query of `client.kernelRule.list`. */
export interface KernelRuleListQuery {
  /** From 1; default 1 */
  page?: number | undefined;
  /** Default 20; 0 returns the count alone */
  page_size?: number | undefined;
  /** 0-based offset; overrides page */
  start?: number | undefined;
  /** 0-based offset, exclusive */
  end?: number | undefined;
}

/** Input of `client.kernelRule.list`. */
export interface KernelRuleListInput {
  query?: KernelRuleListQuery;
}

/** Input of `client.kernelRule.create`. */
export interface KernelRuleCreateInput {
  body: KernelRuleDraft;
}

/** Input of `client.kernelRule.remove`. */
export interface KernelRuleRemoveInput {
  params: {
    id: number;
  };
}

/** Query of `client.outage.list`. */
export interface OutageListQuery {
  /** From 1; default 1 */
  page?: number | undefined;
  /** Default 20; 0 returns the count alone */
  page_size?: number | undefined;
  /** 0-based offset; overrides page */
  start?: number | undefined;
  /** 0-based offset, exclusive */
  end?: number | undefined;
}

/** Input of `client.outage.list`. */
export interface OutageListInput {
  query?: OutageListQuery;
}

/** Query of `client.change.list`. */
export interface ChangeListQuery {
  /** From 1; default 1 */
  page?: number | undefined;
  /** Default 20; 0 returns the count alone */
  page_size?: number | undefined;
  /** 0-based offset; overrides page */
  start?: number | undefined;
  /** 0-based offset, exclusive */
  end?: number | undefined;
  /** This kind exactly */
  kind?: string | undefined;
  /** This name exactly */
  name?: string | undefined;
  /** This service exactly */
  service?: string | undefined;
  /** Changes that concern the agent with this hostname, node_id or address, or that name this host */
  host?: string | undefined;
  /** From, Unix seconds */
  start_time?: number | undefined;
  /** Up to, Unix seconds */
  end_time?: number | undefined;
  /** Part of the kind, the name, the values, the service or the author; letters in any case */
  q?: string | undefined;
}

/** Input of `client.change.list`. */
export interface ChangeListInput {
  query?: ChangeListQuery;
}

/** Input of `client.change.create`. */
export interface ChangeCreateInput {
  body: ChangeDraft;
}

/** Input of `client.change.get`. */
export interface ChangeGetInput {
  params: {
    id: number;
  };
}

/** Query of `client.change.effects`. */
export interface ChangeEffectsQuery {
  /** Seconds to compare before and after the change; default 3600 */
  within?: number | undefined;
}

/** Input of `client.change.effects`. */
export interface ChangeEffectsInput {
  params: {
    id: number;
  };
  query?: ChangeEffectsQuery;
}

/** Query of `client.agent.list`. */
export interface AgentListQuery {
  /** From 1; default 1 */
  _page?: number | undefined;
  /** Default 20; 0 returns the count alone */
  _pagesize?: number | undefined;
  /** Default 0; 1 includes deleted agents, as does `state` with deleted */
  include_deleted?: boolean | undefined;
  online?: boolean | undefined;
  /** One or more of pending, online, offline, inactive, deleted, comma-separated */
  state?: string | undefined;
  /** This environment exactly */
  env?: string | undefined;
  /** `name` or `name=value`, comma-separated; all must match */
  label?: string | undefined;
  /** This kernel exactly */
  kernel?: string | undefined;
  bad_kernel?: boolean | undefined;
  maintenance?: boolean | undefined;
  cloned?: boolean | undefined;
  /** Part of the hostname, the node_id, the address, the note or a label; taken literally, letters in any case */
  q?: string | undefined;
  /**
   * Filter language over agents: text as in `q`, and the fields state, host, node, address, note, env, online,
   * maintenance, bad_kernel, cloned, kernel, kernel_package, kernel_build, distribution, os, libc, stap, odb, version,
   * transient_events, autorun_tools, interval, id, since, until and label.NAME
   */
  filter?: string | undefined;
  /** Default -created */
  sort?: '-created' | 'created' | 'hostname' | '-hostname' | '-last_reported' | 'last_reported' | '-state_since' | 'state_since' | 'kernel' | '-kernel' | '-package' | 'package' | undefined;
  /** Default 0; 1 adds fields beyond the specification */
  detail?: number | undefined;
  /** The fleet as it was at this time, Unix seconds; `unknown` names the fields that are not known of it */
  at?: number | undefined;
}

/** Input of `client.agent.list`. */
export interface AgentListInput {
  query?: AgentListQuery;
}

/** Query of `client.agent.totals`. */
export interface AgentTotalsQuery {
  /** Default 0; 1 includes deleted agents, as does `state` with deleted */
  include_deleted?: boolean | undefined;
  online?: boolean | undefined;
  /** One or more of pending, online, offline, inactive, deleted, comma-separated */
  state?: string | undefined;
  /** This environment exactly */
  env?: string | undefined;
  /** `name` or `name=value`, comma-separated; all must match */
  label?: string | undefined;
  /** This kernel exactly */
  kernel?: string | undefined;
  bad_kernel?: boolean | undefined;
  maintenance?: boolean | undefined;
  cloned?: boolean | undefined;
  /** Part of the hostname, the node_id, the address, the note or a label; taken literally, letters in any case */
  q?: string | undefined;
  /**
   * Filter language over agents: text as in `q`, and the fields state, host, node, address, note, env, online,
   * maintenance, bad_kernel, cloned, kernel, kernel_package, kernel_build, distribution, os, libc, stap, odb, version,
   * transient_events, autorun_tools, interval, id, since, until and label.NAME
   */
  filter?: string | undefined;
  /** The fleet as it was at this time, Unix seconds; `unknown` names the fields that are not known of it */
  at?: number | undefined;
}

/** Input of `client.agent.totals`. */
export interface AgentTotalsInput {
  query?: AgentTotalsQuery;
}

/** Query of `client.agent.bulk`. */
export interface AgentBulkQuery {
  /** Same as in the body */
  dry_run?: boolean | undefined;
}

/** Input of `client.agent.bulk`. */
export interface AgentBulkInput {
  query?: AgentBulkQuery;
  body: AgentBulk;
}

/** Input of `client.agent.register`. */
export interface AgentRegisterInput {
  body: AgentRegistration;
}

/** Input of `client.agent.heartbeat`. */
export interface AgentHeartbeatInput {
  params: {
    id: number;
  };
  body?: AgentFacts;
}

/** Input of `client.agent.shutdown`. */
export interface AgentShutdownInput {
  params: {
    id: number;
  };
}

/** Query of `client.agent.get`. */
export interface AgentGetQuery {
  include_deleted?: boolean | undefined;
  /** Default 0; 1 adds fields beyond the specification */
  detail?: number | undefined;
  /** The fleet as it was at this time, Unix seconds; `unknown` names the fields that are not known of it */
  at?: number | undefined;
}

/** Input of `client.agent.get`. */
export interface AgentGetInput {
  params: {
    id: number;
  };
  query?: AgentGetQuery;
}

/** Input of `client.agent.update`. */
export interface AgentUpdateInput {
  params: {
    id: number;
  };
  body?: AgentChange;
}

/** Input of `client.agent.remove`. */
export interface AgentRemoveInput {
  params: {
    id: number;
  };
}

/** Input of `client.agent.restore`. */
export interface AgentRestoreInput {
  params: {
    id: number;
  };
}

/** Input of `client.agent.purge`. */
export interface AgentPurgeInput {
  params: {
    id: number;
  };
}

/** Query of `client.agent.events`. */
export interface AgentEventsQuery {
  /** From 1; default 1 */
  page?: number | undefined;
  /** Default 20; 0 returns the count alone */
  page_size?: number | undefined;
  /** 0-based offset; overrides page */
  start?: number | undefined;
  /** 0-based offset, exclusive */
  end?: number | undefined;
  kind?: AgentEventKind | undefined;
}

/** Input of `client.agent.events`. */
export interface AgentEventsInput {
  params: {
    id: number;
  };
  query?: AgentEventsQuery;
}

/** Input of `client.agent.diff`. */
export interface AgentDiffInput {
  params: {
    id: number;
    event: number;
  };
}

/** Input of `client.deviceLogin.start`. */
export interface DeviceLoginStartInput {
  body?: DeviceStart;
}

/** Input of `client.deviceLogin.find`. */
export interface DeviceLoginFindInput {
  body: DeviceQuery;
}

/** Input of `client.deviceLogin.confirm`. */
export interface DeviceLoginConfirmInput {
  body: DeviceDecision;
}

/** Input of `client.deviceLogin.token`. */
export interface DeviceLoginTokenInput {
  body: DeviceTokenRequest;
}

/** Input of `client.user.login`. */
export interface UserLoginInput {
  body: Login;
}

/** Input of `client.user.confirm`. */
export interface UserConfirmInput {
  body: Confirmation;
}

/** Input of `client.user.changePassword`. */
export interface UserChangePasswordInput {
  body: PasswordChange;
}

/** Input of `client.user.beginSecondFactor`. */
export interface UserBeginSecondFactorInput {
  body: SecondFactorStart;
}

/** Input of `client.user.confirmSecondFactor`. */
export interface UserConfirmSecondFactorInput {
  body: SecondFactorConfirmation;
}

/** Input of `client.user.removeSecondFactor`. */
export interface UserRemoveSecondFactorInput {
  body: SecondFactorRemoval;
}

/** Query of `client.user.sessions`. */
export interface UserSessionsQuery {
  /** From 1; default 1 */
  page?: number | undefined;
  /** Default 20; 0 returns the count alone */
  page_size?: number | undefined;
  /** 0-based offset; overrides page */
  start?: number | undefined;
  /** 0-based offset, exclusive */
  end?: number | undefined;
}

/** Input of `client.user.sessions`. */
export interface UserSessionsInput {
  query?: UserSessionsQuery;
}

/** Input of `client.user.removeSession`. */
export interface UserRemoveSessionInput {
  params: {
    id: number;
  };
}

/** Query of `client.user.list`. */
export interface UserListQuery {
  /** From 1; default 1 */
  page?: number | undefined;
  /** Default 20; 0 returns the count alone */
  page_size?: number | undefined;
  /** 0-based offset; overrides page */
  start?: number | undefined;
  /** 0-based offset, exclusive */
  end?: number | undefined;
}

/** Input of `client.user.list`. */
export interface UserListInput {
  query?: UserListQuery;
}

/** Query of `client.user.search`. */
export interface UserSearchQuery {
  name?: string | undefined;
}

/** Input of `client.user.search`. */
export interface UserSearchInput {
  query?: UserSearchQuery;
}

/** Input of `client.user.updatePolicy`. */
export interface UserUpdatePolicyInput {
  body: UserPolicy;
}

/** Input of `client.user.create`. */
export interface UserCreateInput {
  body: UserDraft;
}

/** Input of `client.user.get`. */
export interface UserGetInput {
  params: {
    id: number;
  };
}

/** Input of `client.user.update`. */
export interface UserUpdateInput {
  params: {
    id: number;
  };
  body?: UserChange;
}

/** Input of `client.user.remove`. */
export interface UserRemoveInput {
  params: {
    id: number;
  };
}

/** Input of `client.user.resetSecondFactor`. */
export interface UserResetSecondFactorInput {
  params: {
    id: number;
  };
}

/** Input of `client.user.endSessions`. */
export interface UserEndSessionsInput {
  params: {
    id: number;
  };
}

/** Input of `client.user.unlock`. */
export interface UserUnlockInput {
  params: {
    id: number;
  };
}

/** Input of `client.identity.list`. */
export interface IdentityListInput {
  params: {
    id: number;
  };
}

/** Input of `client.identity.create`. */
export interface IdentityCreateInput {
  params: {
    id: number;
  };
  body: IdentityDraft;
}

/** Input of `client.identity.remove`. */
export interface IdentityRemoveInput {
  params: {
    id: number;
    identity_id: number;
  };
}

/** Query of `client.audit.list`. */
export interface AuditListQuery {
  /** From 1; default 1 */
  page?: number | undefined;
  /** Default 20; 0 returns the count alone */
  page_size?: number | undefined;
  /** 0-based offset; overrides page */
  start?: number | undefined;
  /** 0-based offset, exclusive */
  end?: number | undefined;
  /** An action, or the noun of several actions */
  action?: string | undefined;
  actor_id?: number | undefined;
  /** From, Unix seconds */
  start_time?: number | undefined;
  /** Up to, Unix seconds */
  end_time?: number | undefined;
}

/** Input of `client.audit.list`. */
export interface AuditListInput {
  query?: AuditListQuery;
}

/** Input of `client.system.profileSync`. */
export interface SystemProfileSyncInput {
  params: {
    id: number;
  };
}

/** Query of `client.line.list`. */
export interface LineListQuery {
  /** Filter language: text, "phrases", /expressions/, field:value, OR, -term and (groups); at most 4 KiB */
  filter?: string | undefined;
  /** Lines that contain this, taken literally; ASCII letters in any case */
  q?: string | undefined;
  /** From, Unix seconds */
  start_time?: number | undefined;
  /** Up to, Unix seconds */
  end_time?: number | undefined;
  /** This level exactly */
  level?: number | undefined;
  /** This level or more severe */
  level_max?: number | undefined;
  /** Source id */
  src?: number | undefined;
  app_id?: number | undefined;
  /** Lines with this request id */
  req_id?: string | number | undefined;
  /** 0 global, 1 admin site, 2 log server */
  node_type?: number | undefined;
  node_id?: number | undefined;
  /** Id of an entry in the list of error logs */
  group?: number | undefined;
  service?: string | undefined;
  host?: string | undefined;
  /** Default 100 */
  limit?: number | undefined;
  /** meta.before of an answer: continues with older lines */
  before?: string | undefined;
  /** meta.after of an answer: continues with newer lines */
  after?: string | undefined;
}

/** Input of `client.line.list`. */
export interface LineListInput {
  query?: LineListQuery;
}

/** Query of `client.line.values`. */
export interface LineValuesQuery {
  /** Filter language: text, "phrases", /expressions/, field:value, OR, -term and (groups); at most 4 KiB */
  filter?: string | undefined;
  /** Lines that contain this, taken literally; ASCII letters in any case */
  q?: string | undefined;
  /** From, Unix seconds */
  start_time?: number | undefined;
  /** Up to, Unix seconds */
  end_time?: number | undefined;
  /** This level exactly */
  level?: number | undefined;
  /** This level or more severe */
  level_max?: number | undefined;
  /** Source id */
  src?: number | undefined;
  app_id?: number | undefined;
  /** Lines with this request id */
  req_id?: string | number | undefined;
  /** 0 global, 1 admin site, 2 log server */
  node_type?: number | undefined;
  node_id?: number | undefined;
  /** Id of an entry in the list of error logs */
  group?: number | undefined;
  service?: string | undefined;
  host?: string | undefined;
  /** Name of the field in the filter language, such as client or host */
  field: string;
  /** Number of values; default 10 */
  top?: number | undefined;
}

/** Input of `client.line.values`. */
export interface LineValuesInput {
  query: LineValuesQuery;
}

/** Query of `client.line.histogram`. */
export interface LineHistogramQuery {
  /** Filter language: text, "phrases", /expressions/, field:value, OR, -term and (groups); at most 4 KiB */
  filter?: string | undefined;
  /** Lines that contain this, taken literally; ASCII letters in any case */
  q?: string | undefined;
  /** From, Unix seconds */
  start_time?: number | undefined;
  /** Up to, Unix seconds */
  end_time?: number | undefined;
  /** This level exactly */
  level?: number | undefined;
  /** This level or more severe */
  level_max?: number | undefined;
  /** Source id */
  src?: number | undefined;
  app_id?: number | undefined;
  /** Lines with this request id */
  req_id?: string | number | undefined;
  /** 0 global, 1 admin site, 2 log server */
  node_type?: number | undefined;
  node_id?: number | undefined;
  /** Id of an entry in the list of error logs */
  group?: number | undefined;
  service?: string | undefined;
  host?: string | undefined;
  /** Maximum number of buckets; default 60 */
  buckets?: number | undefined;
}

/** Input of `client.line.histogram`. */
export interface LineHistogramInput {
  query?: LineHistogramQuery;
}

/** Input of `client.line.erase`. */
export interface LineEraseInput {
  body: LineErase;
}

/** Input of `client.line.get`. */
export interface LineGetInput {
  params: {
    /** Opaque text; rises in the order of arrival */
    id: string;
  };
}

/** Query of `client.line.context`. */
export interface LineContextQuery {
  /** Number of lines before it; default 10 */
  before?: number | undefined;
  /** Number of lines after it; default 10 */
  after?: number | undefined;
  /** Lines of the same source, service or request; default: of the same host and service */
  same?: 'source' | 'service' | 'request' | undefined;
}

/** Input of `client.line.context`. */
export interface LineContextInput {
  params: {
    /** Opaque text; rises in the order of arrival */
    id: string;
  };
  query?: LineContextQuery;
}

/** Query of `client.ledger.list`. */
export interface LedgerListQuery {
  /** Source id */
  src?: number | undefined;
  /** From, Unix seconds */
  start_time?: number | undefined;
  /** Up to, Unix seconds */
  end_time?: number | undefined;
}

/** Input of `client.ledger.list`. */
export interface LedgerListInput {
  query?: LedgerListQuery;
}

/** Query of `client.webhook.list`. */
export interface WebhookListQuery {
  /** From 1; default 1 */
  page?: number | undefined;
  /** Default 20; 0 returns the count alone */
  page_size?: number | undefined;
  /** 0-based offset; overrides page */
  start?: number | undefined;
  /** 0-based offset, exclusive */
  end?: number | undefined;
}

/** Input of `client.webhook.list`. */
export interface WebhookListInput {
  query?: WebhookListQuery;
}

/** Input of `client.webhook.get`. */
export interface WebhookGetInput {
  params: {
    id: number;
  };
}

/** Input of `client.webhook.create`. */
export interface WebhookCreateInput {
  body: WebhookDraft;
}

/** Input of `client.webhook.update`. */
export interface WebhookUpdateInput {
  params: {
    id: number;
  };
  body?: WebhookChange;
}

/** Input of `client.webhook.remove`. */
export interface WebhookRemoveInput {
  params: {
    id: number;
  };
}

/** Input of `client.webhook.rotate`. */
export interface WebhookRotateInput {
  params: {
    id: number;
  };
  body?: WebhookRotation;
}

/** Input of `client.webhook.test`. */
export interface WebhookTestInput {
  params: {
    id: number;
  };
}

/** Query of `client.webhook.deliveries`. */
export interface WebhookDeliveriesQuery {
  /** From 1; default 1 */
  page?: number | undefined;
  /** Default 20; 0 returns the count alone */
  page_size?: number | undefined;
  /** 0-based offset; overrides page */
  start?: number | undefined;
  /** 0-based offset, exclusive */
  end?: number | undefined;
  state?: DeliveryState | undefined;
}

/** Input of `client.webhook.deliveries`. */
export interface WebhookDeliveriesInput {
  params: {
    id: number;
  };
  query?: WebhookDeliveriesQuery;
}

/** Input of `client.webhook.delivery`. */
export interface WebhookDeliveryInput {
  params: {
    id: number;
  };
}

/** Input of `client.webhook.redeliver`. */
export interface WebhookRedeliverInput {
  params: {
    id: number;
  };
}

/** Query of `client.alert.instances`. */
export interface AlertInstancesQuery {
  /** From 1; default 1 */
  page?: number | undefined;
  /** Default 20; 0 returns the count alone */
  page_size?: number | undefined;
  /** 0-based offset; overrides page */
  start?: number | undefined;
  /** 0-based offset, exclusive */
  end?: number | undefined;
  state?: AlertState | undefined;
  rule_id?: number | undefined;
  kind?: 'errlog.new' | 'errlog.regressed' | 'errlog.count' | 'errlog.spike' | 'silence' | 'agent.offline' | 'agent.back' | 'agent.outage' | 'operation.failed' | 'certificate.expiring' | 'token.expiring' | 'token.reused' | 'signin.failed' | 'audit.broken' | 'server.health' | undefined;
}

/** Input of `client.alert.instances`. */
export interface AlertInstancesInput {
  query?: AlertInstancesQuery;
}

/** Input of `client.alert.instance`. */
export interface AlertInstanceInput {
  params: {
    id: number;
  };
}

/** Input of `client.alert.acknowledge`. */
export interface AlertAcknowledgeInput {
  params: {
    id: number;
  };
  body?: AlertAcknowledgement;
}

/** Input of `client.alert.assign`. */
export interface AlertAssignInput {
  params: {
    id: number;
  };
  body: AlertAssignment;
}

/** Input of `client.alert.mute`. */
export interface AlertMuteInput {
  params: {
    id: number;
  };
  body: AlertMute;
}

/** Query of `client.alert.channels`. */
export interface AlertChannelsQuery {
  /** From 1; default 1 */
  page?: number | undefined;
  /** Default 20; 0 returns the count alone */
  page_size?: number | undefined;
  /** 0-based offset; overrides page */
  start?: number | undefined;
  /** 0-based offset, exclusive */
  end?: number | undefined;
}

/** Input of `client.alert.channels`. */
export interface AlertChannelsInput {
  query?: AlertChannelsQuery;
}

/** Input of `client.alert.preview`. */
export interface AlertPreviewInput {
  body: AlertRuleTrial;
}

/** Query of `client.alert.list`. */
export interface AlertListQuery {
  /** From 1; default 1 */
  page?: number | undefined;
  /** Default 20; 0 returns the count alone */
  page_size?: number | undefined;
  /** 0-based offset; overrides page */
  start?: number | undefined;
  /** 0-based offset, exclusive */
  end?: number | undefined;
}

/** Input of `client.alert.list`. */
export interface AlertListInput {
  query?: AlertListQuery;
}

/** Input of `client.alert.create`. */
export interface AlertCreateInput {
  body: AlertRuleDraft;
}

/** Input of `client.alert.get`. */
export interface AlertGetInput {
  params: {
    id: number;
  };
}

/** Input of `client.alert.update`. */
export interface AlertUpdateInput {
  params: {
    id: number;
  };
  body?: AlertRuleChange;
}

/** Input of `client.alert.remove`. */
export interface AlertRemoveInput {
  params: {
    id: number;
  };
}

/** Input of `client.alert.explain`. */
export interface AlertExplainInput {
  params: {
    id: number;
  };
  body?: AlertMoment;
}

/** Input of `client.alert.test`. */
export interface AlertTestInput {
  params: {
    id: number;
  };
}

/** Methods of `client.errlog`. */
export interface ErrlogCalls {
  /**
   * Error logs, grouped, most recently seen first.
   *
   * `GET /admin-api/log_server/errlog`. Needs the permission `errlog:read`.
   *
   * @throws ApiError `conflict`: The request conflicts with the current state. Reload, then try again.
   * @throws ApiError `overloaded`: The server is busy. Try again shortly.
   */
  readonly list: ListCall<ErrlogListInput, ErrlogPage>;

  /**
   * Send error-log lines: a JSON array, one JSON object, or NDJSON; with Idempotency-Key a batch counts once.
   *
   * `POST /admin-api/log_server/errlog`. Needs the permission `errlog:write`.
   *
   * @throws ApiError `nothing_accepted`: No line of the batch could be read; nothing was stored.
   * @throws ApiError `idempotency_conflict`: This Idempotency-Key was used with another body. Use a new key.
   * @throws ApiError `quota_exceeded`: This source has exceeded its quota of lines. Wait, then send again.
   * @throws ApiError `overloaded`: The server is busy. Try again shortly.
   */
  readonly append: Call<ErrlogAppendInput, ErrlogReceipt>;

  /**
   * Histogram of the errors of a filter by time and level, from start_time to end_time.
   *
   * `GET /admin-api/log_server/errlog/histogram`. Needs the permission `errlog:read`.
   *
   * @throws ApiError `overloaded`: The server is busy. Try again shortly.
   */
  readonly histogram: Call<ErrlogHistogramInput, ErrlogHistogram>;

  /**
   * Levels, states, top sources, apps and services of the groups of a filter.
   *
   * `GET /admin-api/log_server/errlog/facets`. Needs the permission `errlog:read`.
   *
   * @throws ApiError `overloaded`: The server is busy. Try again shortly.
   */
  readonly facets: Call<ErrlogFacetsInput, ErrlogFacets>;

  /**
   * Resolve, mute or reopen many groups.
   *
   * `POST /admin-api/log_server/errlog/bulk`. Needs the permission `errlog:manage`.
   *
   * @throws ApiError `conflict`: The request conflicts with the current state. Reload, then try again.
   * @throws ApiError `overloaded`: The server is busy. Try again shortly.
   */
  readonly bulk: Call<ErrlogBulkInput, BulkResult>;

  /**
   * One group, with all details.
   *
   * `GET /admin-api/log_server/errlog/{id}`. Needs the permission `errlog:read`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   */
  readonly get: Call<ErrlogGetInput, ErrlogEntry>;

  /**
   * Resolve, mute or reopen a group, or write a note.
   *
   * `PUT /admin-api/log_server/errlog/{id}`. Needs the permission `errlog:manage`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   * @throws ApiError `precondition_failed`: It was changed meanwhile; nothing was written. Compare with the current
   * state, then try again.
   */
  readonly update: Call<ErrlogUpdateInput, ErrlogEntry>;

  /**
   * Occurrences of a group, latest arrival first; retention may have removed some.
   *
   * `GET /admin-api/log_server/errlog/{id}/events`. Needs the permission `errlog:read`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   */
  readonly occurrences: ListCall<ErrlogOccurrencesInput, Page<ErrlogOccurrence>>;

  /**
   * Changes on the affected agents before an error began or became more frequent.
   *
   * `GET /admin-api/log_server/errlog/{id}/changes`. Needs the permission `errlog:read`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   */
  readonly changes: Call<ErrlogChangesInput, ErrlogChanges>;

  /**
   * Sources of error logs, newest first.
   *
   * `GET /admin-api/log_server/source`. Needs the permission `errlog:read`.
   */
  readonly sources: ListCall<ErrlogSourcesInput, Page<ErrlogSource>>;
}

/** Methods of `client.apiToken`. */
export interface ApiTokenCalls {
  /**
   * API tokens, newest first.
   *
   * `GET /admin-api/api_token`. Needs the permission `api_token:read`.
   */
  readonly list: ListCall<ApiTokenListInput, Page<ApiToken>>;

  /**
   * The API token of this request, with all details.
   *
   * `GET /admin-api/api_token/self`. For API tokens only.
   */
  readonly self: Call<NoInput, ApiToken>;

  /**
   * Revoke the API token of this request.
   *
   * `DELETE /admin-api/api_token/self`. For API tokens only.
   *
   * @throws ApiError `precondition_failed`: It was changed meanwhile; nothing was written. Compare with the current
   * state, then try again.
   */
  readonly removeSelf: Call<NoInput, undefined>;

  /**
   * Revoke leaked API tokens by their secrets.
   *
   * `POST /admin-api/api_token/revoke`. Open to anybody.
   *
   * @throws ApiError `too_many_requests`: Too many attempts. Wait, then try again.
   */
  readonly revoke: Call<ApiTokenRevokeInput, ApiTokensRevoked>;

  /**
   * One API token.
   *
   * `GET /admin-api/api_token/{id}`. Needs the permission `api_token:read`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   */
  readonly get: Call<ApiTokenGetInput, ApiToken>;

  /**
   * Create an API token; only this answer has its secret.
   *
   * `POST /admin-api/api_token`. Needs the permission `api_token:write`.
   *
   * @throws ApiError `token_limit_reached`: You have reached the maximum number of API tokens. Delete one first.
   */
  readonly create: Call<ApiTokenCreateInput, NewApiToken>;

  /**
   * Rename an API token or change its expiry; extending an expired one reactivates it.
   *
   * `PUT /admin-api/api_token/{id}`. Needs the permission `api_token:write`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   * @throws ApiError `precondition_failed`: It was changed meanwhile; nothing was written. Compare with the current
   * state, then try again.
   * @throws ApiError `token_limit_reached`: You have reached the maximum number of API tokens. Delete one first.
   */
  readonly update: Call<ApiTokenUpdateInput, undefined>;

  /**
   * Revoke an API token.
   *
   * `DELETE /admin-api/api_token/{id}`. Needs the permission `api_token:write`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   * @throws ApiError `precondition_failed`: It was changed meanwhile; nothing was written. Compare with the current
   * state, then try again.
   */
  readonly remove: Call<ApiTokenRemoveInput, undefined>;

  /**
   * Rotate the secret of an API token, optionally with a grace period for the old one.
   *
   * `POST /admin-api/api_token/{id}/rotate`. Needs the permission `api_token:write`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   */
  readonly rotate: Call<ApiTokenRotateInput, NewApiToken>;

  /**
   * Disable an API token.
   *
   * `POST /admin-api/api_token/{id}/disable`. Needs the permission `api_token:write`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   */
  readonly disable: Call<ApiTokenDisableInput, undefined>;

  /**
   * Enable a disabled API token.
   *
   * `POST /admin-api/api_token/{id}/enable`. Needs the permission `api_token:write`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   */
  readonly enable: Call<ApiTokenEnableInput, undefined>;
}

/** Methods of `client.enrollment`. */
export interface EnrollmentCalls {
  /**
   * Enrollment tokens, newest first.
   *
   * `GET /api/agents/enrollment`. Needs the permission `enrollment:manage`.
   */
  readonly list: ListCall<EnrollmentListInput, Page<Enrollment>>;

  /**
   * Create an enrollment token; only this answer has its secret.
   *
   * `POST /api/agents/enrollment`. Needs the permission `enrollment:manage`.
   */
  readonly create: Call<EnrollmentCreateInput, NewEnrollment>;

  /**
   * One enrollment token.
   *
   * `GET /api/agents/enrollment/{id}`. Needs the permission `enrollment:manage`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   */
  readonly get: Call<EnrollmentGetInput, Enrollment>;

  /**
   * Change the name of an enrollment token, or the labels of agents that register from now on.
   *
   * `PUT /api/agents/enrollment/{id}`. Needs the permission `enrollment:manage`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   * @throws ApiError `precondition_failed`: It was changed meanwhile; nothing was written. Compare with the current
   * state, then try again.
   */
  readonly update: Call<EnrollmentUpdateInput, Enrollment>;

  /**
   * Revoke an enrollment token; its agents stay enrolled.
   *
   * `DELETE /api/agents/enrollment/{id}`. Needs the permission `enrollment:manage`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   */
  readonly remove: Call<EnrollmentRemoveInput, undefined>;
}

/** Methods of `client.agentOperation`. */
export interface AgentOperationCalls {
  /**
   * Operations, newest first.
   *
   * `GET /api/agents/operation`. Needs the permission `agent:read`.
   */
  readonly list: ListCall<AgentOperationListInput, Page<Operation>>;

  /**
   * Request an operation from an agent, which receives it with its next report.
   *
   * `POST /api/agents/operation`. Needs the permission `agent:write`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   * @throws ApiError `conflict`: The request conflicts with the current state. Reload, then try again.
   */
  readonly create: Call<AgentOperationCreateInput, Operation>;

  /**
   * Cancel an operation that the agent has not begun.
   *
   * `DELETE /api/agents/operation/{id}`. Needs the permission `agent:write`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   * @throws ApiError `conflict`: The request conflicts with the current state. Reload, then try again.
   */
  readonly cancel: Call<AgentOperationCancelInput, undefined>;
}

/** Methods of `client.kernelRule`. */
export interface KernelRuleCalls {
  /**
   * Patterns of bad kernels, newest first.
   *
   * `GET /api/agents/kernel_rule`. Needs the permission `agent:read`.
   */
  readonly list: ListCall<KernelRuleListInput, Page<KernelRule>>;

  /**
   * Mark the kernels that match a pattern as bad.
   *
   * `POST /api/agents/kernel_rule`. Needs the permission `agent:write`.
   *
   * @throws ApiError `conflict`: The request conflicts with the current state. Reload, then try again.
   */
  readonly create: Call<KernelRuleCreateInput, KernelRule>;

  /**
   * Delete a pattern.
   *
   * `DELETE /api/agents/kernel_rule/{id}`. Needs the permission `agent:write`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   */
  readonly remove: Call<KernelRuleRemoveInput, undefined>;
}

/** Methods of `client.outage`. */
export interface OutageCalls {
  /**
   * Outages, at which many agents went silent together, newest first.
   *
   * `GET /api/agents/outage`. Needs the permission `agent:read`.
   */
  readonly list: ListCall<OutageListInput, Page<Outage>>;
}

/** Methods of `client.change`. */
export interface ChangeCalls {
  /**
   * Changes from outside, such as deployments, latest first.
   *
   * `GET /admin-api/change`. Needs the permission `agent:read`.
   */
  readonly list: ListCall<ChangeListInput, Page<Change>>;

  /**
   * Report a change of hosts; with Idempotency-Key a repeated report counts once.
   *
   * `POST /admin-api/change`. Needs the permission `change:write`.
   *
   * @throws ApiError `idempotency_conflict`: This Idempotency-Key was used with another body. Use a new key.
   */
  readonly create: Call<ChangeCreateInput, ChangeReceipt>;

  /**
   * One change from outside, with all of its hosts.
   *
   * `GET /admin-api/change/{id}`. Needs the permission `agent:read`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   */
  readonly get: Call<ChangeGetInput, Change>;

  /**
   * Errors that became new, more or less frequent on the hosts that made a change, but not on the others.
   *
   * `GET /admin-api/change/{id}/effects`. Needs the permission `errlog:read`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   */
  readonly effects: Call<ChangeEffectsInput, ChangeEffects>;
}

/** Methods of `client.agent`. */
export interface AgentCalls {
  /**
   * Agents, newest first; the total is in X-Total-Count.
   *
   * `GET /api/agents`. Needs the permission `agent:read`.
   */
  readonly list: ListCall<AgentListInput, Agent[], Page<Agent>>;

  /**
   * Numbers of agents that a filter matches, by kind.
   *
   * `GET /api/agents/totals`. Needs the permission `agent:read`.
   */
  readonly totals: Call<AgentTotalsInput, AgentTotals>;

  /**
   * Update, delete, restore, purge or operate many agents.
   *
   * `POST /api/agents/bulk`. Needs the permission `agent:write`.
   */
  readonly bulk: Call<AgentBulkInput, BulkResult>;

  /**
   * Enroll an agent; the same node_id again gives the same id and a new secret, unless its agent is online.
   *
   * `POST /api/agents/register`. Needs the permission `agent:enroll`.
   *
   * @throws ApiError `enrollment_used_up`: This enrollment token has no uses left. Create a new one.
   * @throws ApiError `conflict`: The request conflicts with the current state. Reload, then try again.
   */
  readonly register: Call<AgentRegisterInput, AgentEnrolled>;

  /**
   * Send a heartbeat with the changed facts of an agent.
   *
   * `POST /api/agents/{id}/heartbeat`. For the agent itself, with its secret.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   */
  readonly heartbeat: Call<AgentHeartbeatInput, HeartbeatResponse>;

  /**
   * Report that the agent stops; it is offline from now on.
   *
   * `POST /api/agents/{id}/shutdown`. For the agent itself, with its secret.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   */
  readonly shutdown: Call<AgentShutdownInput, undefined>;

  /**
   * One agent.
   *
   * `GET /api/agents/{id}`. Needs the permission `agent:read`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   */
  readonly get: Call<AgentGetInput, Agent>;

  /**
   * Change the note, the labels, the settings or the maintenance of an agent.
   *
   * `PUT /api/agents/{id}`. Needs the permission `agent:write`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   * @throws ApiError `precondition_failed`: It was changed meanwhile; nothing was written. Compare with the current
   * state, then try again.
   */
  readonly update: Call<AgentUpdateInput, Agent>;

  /**
   * Delete an agent: its secret stops working, and it is hidden; it can be restored for thirty days.
   *
   * `DELETE /api/agents/{id}`. Needs the permission `agent:write`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   * @throws ApiError `precondition_failed`: It was changed meanwhile; nothing was written. Compare with the current
   * state, then try again.
   */
  readonly remove: Call<AgentRemoveInput, undefined>;

  /**
   * Restore a deleted agent: its secret works again.
   *
   * `POST /api/agents/{id}/restore`. Needs the permission `agent:write`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   * @throws ApiError `conflict`: The request conflicts with the current state. Reload, then try again.
   */
  readonly restore: Call<AgentRestoreInput, Agent>;

  /**
   * Purge a deleted agent with its history.
   *
   * `POST /api/agents/{id}/purge`. Needs the permission `agent:write`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   * @throws ApiError `conflict`: The request conflicts with the current state. Reload, then try again.
   */
  readonly purge: Call<AgentPurgeInput, undefined>;

  /**
   * History of an agent, newest first; also of a deleted one.
   *
   * `GET /api/agents/{id}/events`. Needs the permission `agent:read`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   */
  readonly events: ListCall<AgentEventsInput, Page<AgentEvent>>;

  /**
   * Changed lines of a configuration file, with secrets masked by the agent.
   *
   * `GET /api/agents/{id}/events/{event}/diff`. Needs the permission `agent:write`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   */
  readonly diff: Call<AgentDiffInput, HostChangeDiff>;
}

/** Methods of `client.deviceLogin`. */
export interface DeviceLoginCalls {
  /**
   * Begin a sign-in at a terminal: it shows the address and the code.
   *
   * `POST /admin-api/user/device`. Open to anybody.
   *
   * @throws ApiError `too_many_requests`: Too many attempts. Wait, then try again.
   * @throws ApiError `overloaded`: The server is busy. Try again shortly.
   */
  readonly start: Call<DeviceLoginStartInput, DeviceCodes>;

  /**
   * The terminal that asks with a user code.
   *
   * `POST /admin-api/user/device/find`. For sessions only.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   * @throws ApiError `too_many_requests`: Too many attempts. Wait, then try again.
   */
  readonly find: Call<DeviceLoginFindInput, AskingDevice>;

  /**
   * Let the terminal with a user code sign in as the caller, or refuse it.
   *
   * `POST /admin-api/user/device/confirm`. For sessions only.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   * @throws ApiError `too_many_requests`: Too many attempts. Wait, then try again.
   */
  readonly confirm: Call<DeviceLoginConfirmInput, undefined>;

  /**
   * The session of the terminal, once its code is confirmed.
   *
   * `POST /admin-api/user/device/token`. Open to anybody.
   *
   * @throws ApiError `authorization_pending`: The code is not confirmed yet. Ask again later.
   * @throws ApiError `slow_down`: You ask too often. Wait five seconds longer between two requests.
   * @throws ApiError `expired_token`: The code has expired. Begin again.
   * @throws ApiError `access_denied`: The sign-in of this terminal was refused in the browser.
   */
  readonly token: Call<DeviceLoginTokenInput, LoginResult>;
}

/** Methods of `client.user`. */
export interface UserCalls {
  /**
   * Sign in with a username and password. With the header Quarterdeck-Session: cookie, the session comes as a cookie in
   * place of the token; it counts in requests of the same origin with that header.
   *
   * `POST /admin-api/user/login`. Open to anybody.
   *
   * @throws ApiError `login_failed`: incorrect login credentials
   * @throws ApiError `otp_required`: Your second factor is required. Enter the one-time code.
   * @throws ApiError `forbidden`: You do not have permission to do this.
   * @throws ApiError `too_many_requests`: Too many attempts. Wait, then try again.
   * @throws ApiError `overloaded`: The server is busy. Try again shortly.
   */
  readonly login: Call<UserLoginInput, LoginResult>;

  /**
   * Ways to sign in: providers, and who may use a password.
   *
   * `GET /admin-api/user/providers`. Open to anybody.
   */
  readonly providers: Call<NoInput, SignInProviders>;

  /**
   * Sign out: end the session of this request.
   *
   * `POST /admin-api/user/logout`. For sessions only.
   */
  readonly logout: Call<NoInput, undefined>;

  /**
   * Identity and permissions of the caller.
   *
   * `GET /admin-api/user/me`. For anybody who is signed in.
   */
  readonly me: Call<NoInput, Me>;

  /**
   * Confirm the session for 10 minutes with the password, and the code of the second factor if it is on.
   *
   * `POST /admin-api/user/me/confirm`. For sessions only.
   *
   * @throws ApiError `login_failed`: incorrect login credentials
   * @throws ApiError `otp_required`: Your second factor is required. Enter the one-time code.
   * @throws ApiError `too_many_requests`: Too many attempts. Wait, then try again.
   * @throws ApiError `overloaded`: The server is busy. Try again shortly.
   */
  readonly confirm: Call<UserConfirmInput, Confirmed>;

  /**
   * Change one's own password; all other sessions end.
   *
   * `PUT /admin-api/user/me/password`. For sessions only.
   *
   * @throws ApiError `login_failed`: incorrect login credentials
   * @throws ApiError `conflict`: The request conflicts with the current state. Reload, then try again.
   * @throws ApiError `too_many_requests`: Too many attempts. Wait, then try again.
   * @throws ApiError `overloaded`: The server is busy. Try again shortly.
   */
  readonly changePassword: Call<UserChangePasswordInput, undefined>;

  /**
   * Begin to set up a second factor; it takes effect when confirmed.
   *
   * `POST /admin-api/user/me/2fa`. For sessions only.
   *
   * @throws ApiError `login_failed`: incorrect login credentials
   * @throws ApiError `conflict`: The request conflicts with the current state. Reload, then try again.
   * @throws ApiError `too_many_requests`: Too many attempts. Wait, then try again.
   * @throws ApiError `overloaded`: The server is busy. Try again shortly.
   */
  readonly beginSecondFactor: Call<UserBeginSecondFactorInput, SecondFactorDraft>;

  /**
   * Turn the second factor on with a first code.
   *
   * `POST /admin-api/user/me/2fa/confirm`. For sessions only.
   *
   * @throws ApiError `login_failed`: incorrect login credentials
   * @throws ApiError `conflict`: The request conflicts with the current state. Reload, then try again.
   * @throws ApiError `too_many_requests`: Too many attempts. Wait, then try again.
   */
  readonly confirmSecondFactor: Call<UserConfirmSecondFactorInput, RecoveryCodes>;

  /**
   * Turn the second factor off.
   *
   * `DELETE /admin-api/user/me/2fa`. For sessions only.
   *
   * @throws ApiError `login_failed`: incorrect login credentials
   * @throws ApiError `conflict`: The request conflicts with the current state. Reload, then try again.
   * @throws ApiError `too_many_requests`: Too many attempts. Wait, then try again.
   * @throws ApiError `overloaded`: The server is busy. Try again shortly.
   */
  readonly removeSecondFactor: Call<UserRemoveSecondFactorInput, undefined>;

  /**
   * One's own sessions, newest first.
   *
   * `GET /admin-api/user/session`. For sessions only.
   */
  readonly sessions: ListCall<UserSessionsInput, Page<Session>>;

  /**
   * End one of one's own sessions.
   *
   * `DELETE /admin-api/user/session/{id}`. For sessions only.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   */
  readonly removeSession: Call<UserRemoveSessionInput, undefined>;

  /**
   * End all of one's own sessions but this one.
   *
   * `DELETE /admin-api/user/session`. For sessions only.
   */
  readonly removeOtherSessions: Call<NoInput, undefined>;

  /**
   * Users, newest first.
   *
   * `GET /admin-api/user/list`. Needs the permission `user:read`.
   */
  readonly list: ListCall<UserListInput, Page<User>>;

  /**
   * The user with a name, or an empty object.
   *
   * `GET /admin-api/user/search`. Needs the permission `user:read`.
   */
  readonly search: Call<UserSearchInput, FoundUser>;

  /**
   * Policy for all users.
   *
   * `GET /admin-api/user/policy`. Needs the permission `user:read`.
   */
  readonly policy: Call<NoInput, UserPolicy>;

  /**
   * Require a second factor for roles.
   *
   * `PUT /admin-api/user/policy`. Needs the permission `user:write`, and a session that signed in or confirmed itself
   * within the last 10 minutes.
   *
   * @throws ApiError `precondition_failed`: It was changed meanwhile; nothing was written. Compare with the current
   * state, then try again.
   */
  readonly updatePolicy: Call<UserUpdatePolicyInput, undefined>;

  /**
   * Create a user.
   *
   * `POST /admin-api/user`. Needs the permission `user:write`.
   *
   * @throws ApiError `username_taken`: This username is taken. Choose another one.
   * @throws ApiError `reauthentication_required`: Confirm your password first: send it to POST
   * /admin-api/user/me/confirm, then repeat this request.
   */
  readonly create: Call<UserCreateInput, User>;

  /**
   * One user.
   *
   * `GET /admin-api/user/{id}`. Needs the permission `user:read`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   */
  readonly get: Call<UserGetInput, User>;

  /**
   * Change a user; one's own password changes at user/me/password.
   *
   * `PUT /admin-api/user/{id}`. Needs the permission `user:write`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   * @throws ApiError `precondition_failed`: It was changed meanwhile; nothing was written. Compare with the current
   * state, then try again.
   * @throws ApiError `username_taken`: This username is taken. Choose another one.
   * @throws ApiError `last_master`: This is the last active master. Make another user a master first.
   * @throws ApiError `reauthentication_required`: Confirm your password first: send it to POST
   * /admin-api/user/me/confirm, then repeat this request.
   */
  readonly update: Call<UserUpdateInput, undefined>;

  /**
   * Delete a user with their sessions and API tokens.
   *
   * `DELETE /admin-api/user/{id}`. Needs the permission `user:write`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   * @throws ApiError `precondition_failed`: It was changed meanwhile; nothing was written. Compare with the current
   * state, then try again.
   * @throws ApiError `last_master`: This is the last active master. Make another user a master first.
   * @throws ApiError `reauthentication_required`: Confirm your password first: send it to POST
   * /admin-api/user/me/confirm, then repeat this request.
   */
  readonly remove: Call<UserRemoveInput, undefined>;

  /**
   * Turn off the lost second factor of another user.
   *
   * `DELETE /admin-api/user/{id}/2fa`. Needs the permission `user:write`, and a session that signed in or confirmed
   * itself within the last 10 minutes.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   */
  readonly resetSecondFactor: Call<UserResetSecondFactorInput, undefined>;

  /**
   * End all sessions of a user.
   *
   * `DELETE /admin-api/user/{id}/session`. Needs the permission `user:write`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   */
  readonly endSessions: Call<UserEndSessionsInput, undefined>;

  /**
   * Clear the failed sign-ins of a user.
   *
   * `POST /admin-api/user/{id}/unlock`. Needs the permission `user:write`, and a session that signed in or confirmed
   * itself within the last 10 minutes.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   */
  readonly unlock: Call<UserUnlockInput, undefined>;
}

/** Methods of `client.identity`. */
export interface IdentityCalls {
  /**
   * People of providers who sign in as a user.
   *
   * `GET /admin-api/user/{id}/identity`. Needs the permission `user:read`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   */
  readonly list: ListCall<IdentityListInput, Page<Identity>>;

  /**
   * Let a person of a provider sign in as a user.
   *
   * `POST /admin-api/user/{id}/identity`. Needs the permission `user:write`, and a session that signed in or confirmed
   * itself within the last 10 minutes.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   * @throws ApiError `conflict`: The request conflicts with the current state. Reload, then try again.
   */
  readonly create: Call<IdentityCreateInput, Identity>;

  /**
   * End the link of a person of a provider to a user, and the sessions that it opened.
   *
   * `DELETE /admin-api/user/{id}/identity/{identity_id}`. Needs the permission `user:write`, and a session that signed
   * in or confirmed itself within the last 10 minutes.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   */
  readonly remove: Call<IdentityRemoveInput, undefined>;
}

/** Methods of `client.userGroup`. */
export interface UserGroupCalls {
  /**
   * Always empty: there are no groups.
   *
   * `GET /admin-api/user-group`. Needs the permission `user:read`.
   */
  readonly list: Call<NoInput, never[]>;
}

/** Methods of `client.audit`. */
export interface AuditCalls {
  /**
   * Audit log, newest first.
   *
   * `GET /admin-api/audit`. Needs the permission `audit:read`.
   */
  readonly list: ListCall<AuditListInput, Page<AuditEntry>>;

  /**
   * Check that no entry was changed or removed.
   *
   * `GET /admin-api/audit/verify`. Needs the permission `audit:read`.
   */
  readonly verify: Call<NoInput, AuditVerdict>;
}

/** Methods of `client.system`. */
export interface SystemCalls {
  /**
   * Version of this server, in the form the official client reads.
   *
   * `GET /admin-api/version`. For anybody who is signed in.
   */
  readonly version: Call<NoInput, ServerVersion>;

  /**
   * Always false: there are no profiles to send to nodes.
   *
   * `GET /admin-api/profiles/{id}/sync_to_all`. For anybody who is signed in.
   */
  readonly profileSync: Call<SystemProfileSyncInput, ProfileSync>;
}

/** Methods of `client.line`. */
export interface LineCalls {
  /**
   * Stored lines, newest first.
   *
   * `GET /admin-api/log_server/line`. Needs the permission `errlog:read`.
   *
   * @throws ApiError `overloaded`: The server is busy. Try again shortly.
   */
  readonly list: Call<LineListInput, LinePage>;

  /**
   * The most frequent values of a field, among the lines of a filter.
   *
   * `GET /admin-api/log_server/line/values`. Needs the permission `errlog:read`.
   *
   * @throws ApiError `overloaded`: The server is busy. Try again shortly.
   */
  readonly values: Call<LineValuesInput, LineValues>;

  /**
   * Histogram of the lines of a filter by time and level; of the last 24 hours unless it has a span.
   *
   * `GET /admin-api/log_server/line/histogram`. Needs the permission `errlog:read`.
   *
   * @throws ApiError `overloaded`: The server is busy. Try again shortly.
   */
  readonly histogram: Call<LineHistogramInput, LineHistogram>;

  /**
   * Erase lines for good, such as a leaked secret; the counts of their groups stay.
   *
   * `POST /admin-api/log_server/line/erase`. Needs the permission `errlog:erase`.
   */
  readonly erase: Call<LineEraseInput, LineErased>;

  /**
   * One stored line.
   *
   * `GET /admin-api/log_server/line/{id}`. Needs the permission `errlog:read`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   */
  readonly get: Call<LineGetInput, Line>;

  /**
   * Lines around a line, itself included, in the order of time.
   *
   * `GET /admin-api/log_server/line/{id}/context`. Needs the permission `errlog:read`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   */
  readonly context: Call<LineContextInput, LineContext>;
}

/** Methods of `client.ledger`. */
export interface LedgerCalls {
  /**
   * Lines read, sent, received, stored, grouped and lost, by source and minute, newest first.
   *
   * `GET /admin-api/log_server/ledger`. Needs the permission `errlog:read`.
   */
  readonly list: Call<LedgerListInput, LedgerPage>;
}

/** Methods of `client.webhook`. */
export interface WebhookCalls {
  /**
   * Channels, newest first.
   *
   * `GET /admin-api/webhook`. Needs the permission `webhook:manage`.
   */
  readonly list: ListCall<WebhookListInput, Page<Webhook>>;

  /**
   * One channel.
   *
   * `GET /admin-api/webhook/{id}`. Needs the permission `webhook:manage`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   */
  readonly get: Call<WebhookGetInput, Webhook>;

  /**
   * Create a channel; only this answer has its secret.
   *
   * `POST /admin-api/webhook`. Needs the permission `webhook:manage`.
   *
   * @throws ApiError `address_not_allowed`: Messages cannot go to this address. Allow it with
   * QUARTERDECK_WEBHOOK_ALLOW.
   * @throws ApiError `conflict`: The request conflicts with the current state. Reload, then try again.
   */
  readonly create: Call<WebhookCreateInput, NewWebhook>;

  /**
   * Change a channel; what waits is tried again soon after.
   *
   * `PUT /admin-api/webhook/{id}`. Needs the permission `webhook:manage`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   * @throws ApiError `address_not_allowed`: Messages cannot go to this address. Allow it with
   * QUARTERDECK_WEBHOOK_ALLOW.
   * @throws ApiError `precondition_failed`: It was changed meanwhile; nothing was written. Compare with the current
   * state, then try again.
   */
  readonly update: Call<WebhookUpdateInput, Webhook>;

  /**
   * Delete a channel with its deliveries.
   *
   * `DELETE /admin-api/webhook/{id}`. Needs the permission `webhook:manage`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   * @throws ApiError `precondition_failed`: It was changed meanwhile; nothing was written. Compare with the current
   * state, then try again.
   */
  readonly remove: Call<WebhookRemoveInput, undefined>;

  /**
   * Replace the secret of a channel, optionally with a time in which both sign.
   *
   * `POST /admin-api/webhook/{id}/rotate`. Needs the permission `webhook:manage`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   * @throws ApiError `conflict`: The request conflicts with the current state. Reload, then try again.
   */
  readonly rotate: Call<WebhookRotateInput, NewWebhook>;

  /**
   * Queue a test message to a channel, and try what waits now.
   *
   * `POST /admin-api/webhook/{id}/test`. Needs the permission `webhook:manage`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   * @throws ApiError `conflict`: The request conflicts with the current state. Reload, then try again.
   */
  readonly test: Call<WebhookTestInput, WebhookDelivery>;

  /**
   * Deliveries of a channel, newest first.
   *
   * `GET /admin-api/webhook/{id}/delivery`. Needs the permission `webhook:manage`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   */
  readonly deliveries: ListCall<WebhookDeliveriesInput, Page<WebhookDelivery>>;

  /**
   * A delivery with the outcome of its last attempt.
   *
   * `GET /admin-api/webhook/delivery/{id}`. Needs the permission `webhook:manage`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   */
  readonly delivery: Call<WebhookDeliveryInput, WebhookDelivery>;

  /**
   * Send a delivered or dead message again, with the same message id.
   *
   * `POST /admin-api/webhook/delivery/{id}/redeliver`. Needs the permission `webhook:manage`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   * @throws ApiError `conflict`: The request conflicts with the current state. Reload, then try again.
   */
  readonly redeliver: Call<WebhookRedeliverInput, WebhookDelivery>;
}

/** Methods of `client.alert`. */
export interface AlertCalls {
  /**
   * Alerts that rules have found and that the caller may read, newest first.
   *
   * `GET /admin-api/alert/instance`. Needs the permission `alert:read`.
   */
  readonly instances: ListCall<AlertInstancesInput, Page<Alert>>;

  /**
   * One alert: the error, its hosts, the suspected change, and the newest lines.
   *
   * `GET /admin-api/alert/instance/{id}`. Needs the permission `alert:read`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   */
  readonly instance: Call<AlertInstanceInput, AlertInstance>;

  /**
   * Say that somebody has seen an alert: it is not repeated until it ends.
   *
   * `POST /admin-api/alert/instance/{id}/acknowledge`. Needs the permission `alert:write`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   */
  readonly acknowledge: Call<AlertAcknowledgeInput, Alert>;

  /**
   * Say who works on an alert.
   *
   * `POST /admin-api/alert/instance/{id}/assign`. Needs the permission `alert:write`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   */
  readonly assign: Call<AlertAssignInput, Alert>;

  /**
   * Mute the groups of an alert, or an alert without groups; or end that.
   *
   * `POST /admin-api/alert/instance/{id}/mute`. Needs the permission `alert:write`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   */
  readonly mute: Call<AlertMuteInput, Alert>;

  /**
   * Channels that rules can name, by name.
   *
   * `GET /admin-api/alert/channel`. Needs the permission `alert:read`.
   */
  readonly channels: ListCall<AlertChannelsInput, Page<AlertChannel>>;

  /**
   * Count the times a rule would have fired in the last 24 hours.
   *
   * `POST /admin-api/alert/preview`. Needs the permission `alert:write`.
   */
  readonly preview: Call<AlertPreviewInput, AlertPreview>;

  /**
   * Rules of alerts, newest first.
   *
   * `GET /admin-api/alert`. Needs the permission `alert:read`.
   */
  readonly list: ListCall<AlertListInput, Page<AlertRule>>;

  /**
   * Create a rule; it tells what happens from now on.
   *
   * `POST /admin-api/alert`. Needs the permission `alert:write`.
   *
   * @throws ApiError `conflict`: The request conflicts with the current state. Reload, then try again.
   */
  readonly create: Call<AlertCreateInput, AlertRule>;

  /**
   * One rule.
   *
   * `GET /admin-api/alert/{id}`. Needs the permission `alert:read`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   */
  readonly get: Call<AlertGetInput, AlertRule>;

  /**
   * Change a rule.
   *
   * `PUT /admin-api/alert/{id}`. Needs the permission `alert:write`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   * @throws ApiError `precondition_failed`: It was changed meanwhile; nothing was written. Compare with the current
   * state, then try again.
   */
  readonly update: Call<AlertUpdateInput, AlertRule>;

  /**
   * Delete a rule with its alerts; no messages are sent of their ends.
   *
   * `DELETE /admin-api/alert/{id}`. Needs the permission `alert:write`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   * @throws ApiError `precondition_failed`: It was changed meanwhile; nothing was written. Compare with the current
   * state, then try again.
   */
  readonly remove: Call<AlertRemoveInput, undefined>;

  /**
   * Explain why a rule did or did not fire at a moment.
   *
   * `POST /admin-api/alert/{id}/explain`. Needs the permission `alert:read`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   */
  readonly explain: Call<AlertExplainInput, AlertExplanation>;

  /**
   * Send a test message to the channels of a rule.
   *
   * `POST /admin-api/alert/{id}/test`. Needs the permission `alert:write`.
   *
   * @throws ApiError `not_found`: Not found, or you do not have permission to see it.
   * @throws ApiError `conflict`: The request conflicts with the current state. Reload, then try again.
   */
  readonly test: Call<AlertTestInput, AlertTest>;
}

/** Every endpoint by noun and verb. */
export interface Calls {
  readonly errlog: ErrlogCalls;
  readonly apiToken: ApiTokenCalls;
  readonly enrollment: EnrollmentCalls;
  readonly agentOperation: AgentOperationCalls;
  readonly kernelRule: KernelRuleCalls;
  readonly outage: OutageCalls;
  readonly change: ChangeCalls;
  readonly agent: AgentCalls;
  readonly deviceLogin: DeviceLoginCalls;
  readonly user: UserCalls;
  readonly identity: IdentityCalls;
  readonly userGroup: UserGroupCalls;
  readonly audit: AuditCalls;
  readonly system: SystemCalls;
  readonly line: LineCalls;
  readonly ledger: LedgerCalls;
  readonly webhook: WebhookCalls;
  readonly alert: AlertCalls;
}
