// Written by packages/sdk/generate: `pnpm generate`.

/** Rows of an administration list, and their total. */
export interface Page<Row> {
  data: Row[];
  meta: { count: number };
}

/** An agent in the console's list. The fields after `system_version` come with `detail=1`. */
export interface Agent {
  id: number;
  node_id: string;
  hostname: string;
  ip: string;
  /** host, vm, container, kubernetes, unknown, or another value of the agent */
  env: string;
  online: boolean;
  is_deleted: boolean;
  bad_kernel: boolean;
  catch_transient_event: boolean;
  autorun_tools: boolean;
  note: string;
  system_name: string;
  /** Unix seconds with fraction */
  created: number;
  /** Unix seconds with fraction */
  modified: number;
  /** Unix seconds */
  last_reported: number;
  progress: {
    current: number;
    detail: string;
  };
  package: {
    version: number;
    /** Unix seconds */
    timestamp: number;
  };
  dependency: {
    stap_version: string;
    odb_version: string;
  };
  system_version: {
    kernel_package: string;
    kernel_bid: string;
    kernel_distro: string;
    libc: string;
    kernel: string;
  };
  /** Seconds between reports */
  interval?: number | undefined;
  state?: AgentState | undefined;
  /** Reason of the state */
  reason?: AgentReason | undefined;
  /** Unix seconds */
  state_since?: number | undefined;
  /** Suppresses notifications about its state */
  maintenance?: boolean | undefined;
  labels?: Record<string, string> | undefined;
  /** Reason of the rule that its kernel matches */
  bad_kernel_reason?: string | undefined;
  /** True while two live hosts have this node_id */
  cloned?: boolean | undefined;
  /** Boot time of the host, by its own clock; 0 = unknown (Unix seconds) */
  boot_time?: number | undefined;
  /** Start of the agent, by its own clock; 0 = unknown (Unix seconds) */
  started?: number | undefined;
  /** Status of its log shipping; null = unknown */
  shipper?: AgentShipper | null | undefined;
  /** Enrollment token of its registration; 0 = an API token */
  enrollment_id?: number | undefined;
  /** With `at`: fields whose values of that time are not known; those shown are later ones */
  unknown?: string[] | undefined;
}

/**
 * Change of many agents: those of `ids`, or all that match `filter`; for `restore` and `purge` among deleted ones.
 * `operate` requests an operation from each of them.
 */
export interface AgentBulk {
  ids?: number[] | undefined;
  filter?: AgentFilter | undefined;
  action: 'update' | 'delete' | 'restore' | 'purge' | 'operate';
  note?: string | undefined;
  /** All labels: others are removed */
  labels?: AgentLabels | undefined;
  catch_transient_event?: boolean | undefined;
  autorun_tools?: boolean | undefined;
  maintenance?: boolean | undefined;
  /** With operate */
  kind?: OperationKind | undefined;
  /** With operate */
  params?: OperationParams | undefined;
  /** Report the result without a change */
  dry_run?: boolean | undefined;
}

/** Change of an agent by a person: absent fields stay unchanged. */
export interface AgentChange {
  note?: string | undefined;
  /** All labels: others are removed */
  labels?: AgentLabels | undefined;
  catch_transient_event?: boolean | undefined;
  autorun_tools?: boolean | undefined;
  maintenance?: boolean | undefined;
}

/** Answer to a registration. `secret` is shown only here. */
export interface AgentEnrolled {
  id: number;
  secret: string;
  /** Seconds between reports */
  interval: number;
}

/** One entry of an agent's history. */
export interface AgentEvent {
  id: number;
  /** By the server's clock (Unix seconds with fraction) */
  time: number;
  kind: AgentEventKind;
  /**
   * Changed field, such as system_version.kernel, a path or a package; the reason with offline; with change its kind,
   * such as deploy
   */
  field: string;
  /** Name of a change from outside, such as that of a service; empty = none */
  name: string;
  from: string;
  to: string;
  /** User who did it; empty = the agent or the server */
  actor: string;
  /** Id of the change from outside; 0 = none */
  change_id: number;
  /** The changed lines are stored */
  has_diff: boolean;
}

/**
 * Kind of an event in the life of an agent. `changed`: a fact changed. `restarted`: the agent started again.
 * `rebooted`: its host booted. `cloned`: two live hosts have its node_id. `settings`, `note`, `labels`, `maintenance`:
 * a person changed them. `change`: something outside reported a change, such as a deployment. The others are changes on
 * its host.
 */
export type AgentEventKind = 'registered' | 'online' | 'offline' | 'inactive' | 'changed' | 'restarted' | 'rebooted' | 'cloned' | 'settings' | 'note' | 'labels' | 'maintenance' | 'operation' | 'deleted' | 'restored' | 'change' | 'config' | 'program' | 'package' | 'certificate' | 'unit' | 'clock' | 'disk' | 'dns' | 'time_zone' | 'container';

/** Facts of a later report: any of them, `{}` included; absent ones stay unchanged. */
export interface AgentFacts {
  hostname?: string | undefined;
  ip?: string | undefined;
  env?: string | undefined;
  system_name?: string | undefined;
  bad_kernel?: boolean | undefined;
  catch_transient_event?: boolean | undefined;
  autorun_tools?: boolean | undefined;
  progress?: {
    current?: number | undefined;
    detail?: string | undefined;
  } | undefined;
  package?: {
    version?: number | undefined;
    /** Unix seconds */
    timestamp?: number | undefined;
  } | undefined;
  dependency?: {
    stap_version?: string | undefined;
    odb_version?: string | undefined;
  } | undefined;
  system_version?: {
    kernel_package?: string | undefined;
    kernel_bid?: string | undefined;
    kernel_distro?: string | undefined;
    libc?: string | undefined;
    kernel?: string | undefined;
  } | undefined;
  /** Unix seconds */
  boot_time?: number | undefined;
  /** Unix seconds */
  started?: number | undefined;
  shipper?: AgentShipper | undefined;
  operations?: AgentOperationReport[] | undefined;
  changes?: HostChange[] | undefined;
  /** All certificates that it watches, those that expire first */
  certificates?: HostCertificate[] | undefined;
}

/** Filter of agents as JSON. An unknown field is refused: a misspelled one would match everything. */
export interface AgentFilter {
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
}

/** Labels of an agent: names that an administrator gives, with values that may be empty. */
export type AgentLabels = Record<string, string>;

/** Report of an agent about an operation, repeated until the server answers. */
export interface AgentOperationReport {
  id: number;
  state: 'running' | 'succeeded' | 'failed';
  progress?: number | undefined;
  detail?: string | undefined;
}

/**
 * Reason of the state. `registered`: no report yet. `server_restarted`: this server was down or its clock was set, so
 * agents get time to report. `reporting`: healthy. `lost`: went silent. `shut_down`: reported its shutdown.
 * `never_reported`: registered, then silent. `deleted`: removed by a person.
 */
export type AgentReason = 'registered' | 'server_restarted' | 'reporting' | 'lost' | 'shut_down' | 'never_reported' | 'deleted';

/** Facts of a host at its registration. */
export interface AgentRegistration {
  node_id: string;
  hostname: string;
  ip?: string | undefined;
  env?: string | undefined;
  system_name?: string | undefined;
  bad_kernel?: boolean | undefined;
  catch_transient_event?: boolean | undefined;
  autorun_tools?: boolean | undefined;
  progress?: {
    current?: number | undefined;
    detail?: string | undefined;
  } | undefined;
  package?: {
    version?: number | undefined;
    /** Unix seconds */
    timestamp?: number | undefined;
  } | undefined;
  dependency?: {
    stap_version?: string | undefined;
    odb_version?: string | undefined;
  } | undefined;
  system_version?: {
    kernel_package?: string | undefined;
    kernel_bid?: string | undefined;
    kernel_distro?: string | undefined;
    libc?: string | undefined;
    kernel?: string | undefined;
  } | undefined;
  /** Unix seconds */
  boot_time?: number | undefined;
  /** Unix seconds */
  started?: number | undefined;
  /** Replace an online agent with this node_id, whose secret ends; requires agent:write */
  force?: boolean | undefined;
}

/** An agent that was deleted or purged. */
export interface AgentRemoved {
  id: number;
}

/** Settings that an administrator decides for an agent. */
export interface AgentSettings {
  catch_transient_event: boolean;
  autorun_tools: boolean;
}

/** Status of an agent's log shipping. */
export interface AgentShipper {
  /** Number of followed files */
  files: number;
  /** Files that match a pattern and are refused: links that lead elsewhere, pipes, devices */
  files_refused?: number | undefined;
  /** Lines acknowledged since the start */
  lines: number;
  /** Unsent bytes on its disk */
  bytes_waiting: number;
  /** Lost lines */
  lines_dropped: number;
  /** Lines the server could not read */
  lines_refused: number;
  /** Files whose lines do not tell their time or level, the most such lines first */
  unclear_files?: Array<{
    path: string;
    /** Lines read since the start */
    lines: number;
    /** Of these, lines that have the time of their reading */
    lines_without_time: number;
    /** Of these, lines without a known level */
    lines_without_level: number;
  }> | undefined;
}

/**
 * State of an agent. `pending`: registered or awaited, no report yet. `online`: reports. `offline`: silent. `inactive`:
 * silent for fourteen days. `deleted`: removed from the list by an administrator; purged thirty days later.
 */
export type AgentState = 'pending' | 'online' | 'offline' | 'inactive' | 'deleted';

/**
 * Totals of the agents of a filter: their number, and the numbers by kind. The most frequent come first, at most 1000
 * of a kind.
 */
export interface AgentTotals {
  count: number;
  online: number;
  bad_kernel: number;
  maintenance: number;
  cloned: number;
  states: Array<{
    state: AgentState;
    count: number;
  }>;
  envs: Array<{
    value: string;
    count: number;
  }>;
  kernels: Array<{
    value: string;
    count: number;
  }>;
  packages: Array<{
    value: string;
    count: number;
  }>;
  systems: Array<{
    value: string;
    count: number;
  }>;
  /** `name=value` */
  labels: Array<{
    value: string;
    count: number;
  }>;
}

/** One cause that a rule found, from its beginning to its end. */
export interface Alert {
  id: number;
  rule_id: number;
  /** Name of the rule */
  rule: string;
  kind: 'errlog.new' | 'errlog.regressed' | 'errlog.count' | 'errlog.spike' | 'silence' | 'agent.offline' | 'agent.back' | 'agent.outage' | 'operation.failed' | 'certificate.expiring' | 'token.expiring' | 'token.reused' | 'signin.failed' | 'audit.broken' | 'server.health';
  /** Subject of the alert, such as group:17, source:3, agent:12 */
  key: string;
  /** Ids of the groups of errors that it is about */
  groups: number[];
  state: AlertState;
  /** One line for people */
  title: string;
  /** More of the cause; its fields depend on the kind */
  detail: Record<string, unknown>;
  /** The suspected change; null = the alert is not about errors, or was not examined */
  cause: AlertCause | null;
  /** Alert under which it is grouped, such as that of an outage; null = none that the caller may read */
  parent_id: number | null;
  /** Number of alerts that are grouped under it and that the caller may read */
  under: number;
  /** Messages sent of it; 0 = told by the alert under which it is grouped, or muted */
  messages: number;
  /** The acknowledgement of a person; null = there is none */
  acknowledged: {
    /** Unix seconds with fraction */
    time: number;
    by: string;
    note: string;
  } | null;
  /** User who works on it */
  assigned: {
    id: number;
    username: string;
  } | null;
  /** Nothing is told of it until then; null = not muted (Unix seconds with fraction) */
  muted_until: number | null;
  /** Start of the cause (Unix seconds with fraction) */
  since: number;
  /** Time of its first message (Unix seconds with fraction) */
  fired: number | null;
  /** End of the cause; null = it lasts (Unix seconds with fraction) */
  resolved: number | null;
}

/** The caller has seen an alert. */
export interface AlertAcknowledgement {
  note?: string | undefined;
}

/** The user who works on an alert; null = nobody. */
export interface AlertAssignment {
  /** Another user than the caller takes the permission user:read */
  user: number | null;
}

/** The first suspected change before the error of an alert, or why none can be named. */
export interface AlertCause {
  /** The suspected change and its hosts; null = none is named */
  sentence: string | null;
  strength: ChangeStrength | null;
  change: {
    kind: AgentEventKind;
    /** Such as system_version.kernel; empty when the kind is enough */
    field: string;
    /** Name of a change from outside; empty = none */
    name: string;
    /** Value on most of the affected agents; empty = different values, or none */
    from: string;
    to: string;
    /** Id of the change from outside; 0 = none */
    change_id: number;
    /** Time of the earliest such change (Unix seconds) */
    time: number;
    /** Median seconds from the change to the error */
    before: number;
  } | null;
  /** Page of the change; null = it has none */
  link: string | null;
  /** Why no change is named; null = one is */
  why: string | null;
  /** It is not looked at again */
  settled: boolean;
  /** Time at which it is looked at again; null = it is settled (Unix seconds with fraction) */
  next_look: number | null;
}

/** A channel as those see it who may choose it for a rule. */
export interface AlertChannel {
  id: number;
  name: string;
  kind: WebhookKind;
  enabled: boolean;
}

/** Condition of a rule. Settings that are absent have the default of the kind; the answer has them all. */
export interface AlertCondition {
  kind: 'errlog.new' | 'errlog.regressed' | 'errlog.count' | 'errlog.spike' | 'silence' | 'agent.offline' | 'agent.back' | 'agent.outage' | 'operation.failed' | 'certificate.expiring' | 'token.expiring' | 'token.reused' | 'signin.failed' | 'audit.broken' | 'server.health';
  /** Number that must be exceeded */
  count?: number | undefined;
  /** Seconds looked at */
  within?: number | undefined;
  /** Unit of the count */
  per?: AlertPer | undefined;
}

/** One condition of a rule at a moment. */
export interface AlertConditionState {
  name: 'enabled' | 'author' | 'matching' | 'count' | 'usual' | 'silence' | 'habit' | 'report' | 'silent_agents' | 'days' | 'attempts' | 'causes' | 'for' | 'cooldown' | 'mute' | 'maintenance' | 'outage' | 'acknowledged' | 'repeat';
  /** The number that is compared; null = none, or not known */
  value: number | null;
  /** The number that it is compared with; null = none */
  limit: number | null;
  /** false: it kept the rule from a message; null = not known */
  met: boolean | null;
  /** The same in a sentence */
  text: string;
}

/** Why a rule did or did not fire at a moment. */
export interface AlertExplanation {
  /** Unix seconds with fraction */
  at: number;
  /** An alert of it had a message and was open, or had one just before */
  fired: boolean;
  /** The reason in a sentence */
  verdict: string;
  conditions: AlertConditionState[];
  /** Alerts of it then, newest first; up to 20 */
  alerts: Alert[];
  /** All of it is known */
  complete: boolean;
  why_incomplete: string | null;
}

/** One alert with all that is known about it. */
export interface AlertInstance {
  id: number;
  rule_id: number;
  /** Name of the rule */
  rule: string;
  kind: 'errlog.new' | 'errlog.regressed' | 'errlog.count' | 'errlog.spike' | 'silence' | 'agent.offline' | 'agent.back' | 'agent.outage' | 'operation.failed' | 'certificate.expiring' | 'token.expiring' | 'token.reused' | 'signin.failed' | 'audit.broken' | 'server.health';
  /** Subject of the alert, such as group:17, source:3, agent:12 */
  key: string;
  /** Ids of the groups of errors that it is about */
  groups: number[];
  state: AlertState;
  /** One line for people */
  title: string;
  /** More of the cause; its fields depend on the kind */
  detail: Record<string, unknown>;
  /** The suspected change; null = the alert is not about errors, or was not examined */
  cause: AlertCause | null;
  /** Alert under which it is grouped, such as that of an outage; null = none that the caller may read */
  parent_id: number | null;
  /** Number of alerts that are grouped under it and that the caller may read */
  under: number;
  /** Messages sent of it; 0 = told by the alert under which it is grouped, or muted */
  messages: number;
  /** The acknowledgement of a person; null = there is none */
  acknowledged: {
    /** Unix seconds with fraction */
    time: number;
    by: string;
    note: string;
  } | null;
  /** User who works on it */
  assigned: {
    id: number;
    username: string;
  } | null;
  /** Nothing is told of it until then; null = not muted (Unix seconds with fraction) */
  muted_until: number | null;
  /** Start of the cause (Unix seconds with fraction) */
  since: number;
  /** Time of its first message (Unix seconds with fraction) */
  fired: number | null;
  /** End of the cause; null = it lasts (Unix seconds with fraction) */
  resolved: number | null;
  /** The error; null = the alert is not about one */
  what: {
    /** Number of the level */
    level: number;
    service: string;
    source: string;
    /** Text of the error without its variable parts */
    text: string;
  } | null;
  counts: {
    /** Occurrences since `from` */
    count: number;
    /** Unix seconds with fraction */
    from: number;
    /** Occurrences per minute since then */
    per_minute: number;
    /** Usual occurrences per minute before */
    usual: number;
  } | null;
  hosts: {
    failing: number;
    /** All hosts of that time; null = unknown, or agents may not be read */
    of: number | null;
    /** Some of the failing hosts */
    names: string[];
  } | null;
  /** The newest lines, newest first */
  lines: Line[];
  /** Missing parts, in sentences */
  incomplete: string[];
  /** Names of other rules that found the same at the same time */
  also: string[];
  /** Pages for people; null = there is none, or QUARTERDECK_PUBLIC_URL is not set */
  links: {
    alert: string | null;
    error: string | null;
    change: string | null;
    runbook: string | null;
    /** Opens a prefilled issue elsewhere */
    issue: string | null;
  };
  /** The same as `resolved` (Unix seconds with fraction) */
  until: number | null;
  meta: {
    /** false: `incomplete` says what is missing */
    complete: boolean;
  };
}

/** Data of an event, and of a message to a channel, about an alert. */
export interface AlertMessage {
  id: number;
  rule_id: number;
  /** Name of the rule */
  rule: string;
  kind: 'errlog.new' | 'errlog.regressed' | 'errlog.count' | 'errlog.spike' | 'silence' | 'agent.offline' | 'agent.back' | 'agent.outage' | 'operation.failed' | 'certificate.expiring' | 'token.expiring' | 'token.reused' | 'signin.failed' | 'audit.broken' | 'server.health';
  /** Subject of the alert, such as group:17, source:3, agent:12 */
  key: string;
  /** Ids of the groups of errors that it is about */
  groups: number[];
  state: AlertState;
  /** One line for people */
  title: string;
  /** More of the cause; its fields depend on the kind */
  detail: Record<string, unknown>;
  /** The suspected change; null = the alert is not about errors, or was not examined */
  cause: AlertCause | null;
  /** Alert under which it is grouped, such as that of an outage; null = none that the caller may read */
  parent_id: number | null;
  /** Number of alerts that are grouped under it and that the caller may read */
  under: number;
  /** Messages sent of it; 0 = told by the alert under which it is grouped, or muted */
  messages: number;
  /** The acknowledgement of a person; null = there is none */
  acknowledged: {
    /** Unix seconds with fraction */
    time: number;
    by: string;
    note: string;
  } | null;
  /** User who works on it */
  assigned: {
    id: number;
    username: string;
  } | null;
  /** Nothing is told of it until then; null = not muted (Unix seconds with fraction) */
  muted_until: number | null;
  /** Start of the cause (Unix seconds with fraction) */
  since: number;
  /** Time of its first message (Unix seconds with fraction) */
  fired: number | null;
  /** End of the cause; null = it lasts (Unix seconds with fraction) */
  resolved: number | null;
  /** The error; null = the alert is not about one */
  what: {
    /** Number of the level */
    level: number;
    service: string;
    source: string;
    /** Text of the error without its variable parts */
    text: string;
  } | null;
  counts: {
    /** Occurrences since `from` */
    count: number;
    /** Unix seconds with fraction */
    from: number;
    /** Occurrences per minute since then */
    per_minute: number;
    /** Usual occurrences per minute before */
    usual: number;
  } | null;
  hosts: {
    failing: number;
    /** All hosts of that time; null = unknown, or agents may not be read */
    of: number | null;
    /** Some of the failing hosts */
    names: string[];
  } | null;
  /** The newest lines, newest first */
  lines: Line[];
  /** Missing parts, in sentences */
  incomplete: string[];
  /** Names of other rules that found the same at the same time */
  also: string[];
  /** Pages for people; null = there is none, or QUARTERDECK_PUBLIC_URL is not set */
  links: {
    alert: string | null;
    error: string | null;
    change: string | null;
    runbook: string | null;
    /** Opens a prefilled issue elsewhere */
    issue: string | null;
  };
}

/** The moment that is asked about. */
export interface AlertMoment {
  /** Default now; not in the future (Unix seconds) */
  at?: number | undefined;
}

/** The time until which nothing is told of an alert. */
export interface AlertMute {
  /**
   * Unix seconds; for an alert about errors also a duration or a number of times, such as 1h or 100x, as of a group; 0
   * ends the mute
   */
  until: number | string;
}

/** Units that a rule counts by: each of them is a cause of its own. */
export type AlertPer = 'group' | 'source' | 'service';

/** Result of trying a rule on the last 24 hours. */
export interface AlertPreview {
  /** Unix seconds with fraction */
  from: number;
  /** Unix seconds with fraction */
  to: number;
  /** Messages that the rule would have sent, without those of ends */
  fired: number;
  /** Different causes of them */
  causes: number;
  examples: Array<{
    /** Unix seconds with fraction */
    time: number;
    key: string;
    title: string;
  }>;
  /** All of the time was looked at */
  complete: boolean;
  why_incomplete: string | null;
}

/** A rule. */
export interface AlertRule {
  id: number;
  name: string;
  enabled: boolean;
  when: AlertCondition;
  filter: string;
  for: number;
  cooldown: number;
  repeat: number;
  channels: number[];
  runbook: string;
  issue: string;
  /** Alerts of it that have not ended and that the caller may read */
  firing: number;
  /** Time of its last message; null = never, or the caller may not read its alerts (Unix seconds with fraction) */
  last_fired: number | null;
  /** Its author has lost a right that it needs; null = it runs, or is disabled */
  stopped: {
    /** Unix seconds with fraction */
    since: number;
    why: string;
  } | null;
  /** Unix seconds with fraction */
  created: number;
  created_by: string;
  /** Unix seconds with fraction */
  modified: number;
}

/** Changes of a rule; what is absent stays. `filter` and `for` are checked with the kind that the rule then has. */
export interface AlertRuleChange {
  name?: string | undefined;
  enabled?: boolean | undefined;
  when?: AlertCondition | undefined;
  /** Narrows the rule in the filter language: of lines for errlog and silence, of agents for agent kinds */
  filter?: string | undefined;
  /** Seconds for which a cause must last before it is told */
  for?: number | undefined;
  /** Seconds in which the same cause is not told again */
  cooldown?: number | undefined;
  /** Seconds after which an open alert is told again until it is acknowledged; 0 = never */
  repeat?: number | undefined;
  /** Ids of webhooks */
  channels?: number[] | undefined;
  /** Address of what to do, in messages; {title}, {service}, {host}, {level}, {key}, {id}, {url} in it are replaced */
  runbook?: string | undefined;
  /**
   * Address that opens a prefilled issue elsewhere, in messages; {title}, {service}, {host}, {level}, {key}, {id},
   * {url} in it are replaced
   */
  issue?: string | undefined;
}

/** A rule to be created. */
export interface AlertRuleDraft {
  name: string;
  enabled?: boolean | undefined;
  when: AlertCondition;
  /** Narrows the rule in the filter language: of lines for errlog and silence, of agents for agent kinds */
  filter?: string | undefined;
  /** Seconds for which a cause must last before it is told */
  for?: number | undefined;
  /** Seconds in which the same cause is not told again */
  cooldown?: number | undefined;
  /** Seconds after which an open alert is told again until it is acknowledged; 0 = never */
  repeat?: number | undefined;
  /** Ids of webhooks */
  channels?: number[] | undefined;
  /** Address of what to do, in messages; {title}, {service}, {host}, {level}, {key}, {id}, {url} in it are replaced */
  runbook?: string | undefined;
  /**
   * Address that opens a prefilled issue elsewhere, in messages; {title}, {service}, {host}, {level}, {key}, {id},
   * {url} in it are replaced
   */
  issue?: string | undefined;
}

/** A rule to be tried by `preview`. It needs no name. */
export interface AlertRuleTrial {
  name?: string | undefined;
  enabled?: boolean | undefined;
  when: AlertCondition;
  /** Narrows the rule in the filter language: of lines for errlog and silence, of agents for agent kinds */
  filter?: string | undefined;
  /** Seconds for which a cause must last before it is told */
  for?: number | undefined;
  /** Seconds in which the same cause is not told again */
  cooldown?: number | undefined;
  /** Seconds after which an open alert is told again until it is acknowledged; 0 = never */
  repeat?: number | undefined;
  /** Ids of webhooks */
  channels?: number[] | undefined;
  /** Address of what to do, in messages; {title}, {service}, {host}, {level}, {key}, {id}, {url} in it are replaced */
  runbook?: string | undefined;
  /**
   * Address that opens a prefilled issue elsewhere, in messages; {title}, {service}, {host}, {level}, {key}, {id},
   * {url} in it are replaced
   */
  issue?: string | undefined;
}

/**
 * `pending`: the cause does not last long enough yet. `firing`: it was told. `resolved`: it has ended. Alerts of a kind
 * without an end are resolved as soon as they are told.
 */
export type AlertState = 'pending' | 'firing' | 'resolved';

/** Result of sending a test message. */
export interface AlertTest {
  /** Ids of the webhooks that the message is sent to */
  channels: number[];
  /** The delivery to each of them, whose outcome `webhook.delivery` has */
  deliveries: Array<{
    id: number;
    channel: number;
  }>;
}

/** An API token without its secret. The fields after `_modified_unix` come with `detail=1`. */
export interface ApiToken {
  id: number;
  name: string;
  /** Unix milliseconds, 0 = never */
  expire: number;
  /** Unix seconds with fraction */
  _created_unix: number;
  /** Unix seconds with fraction */
  _modified_unix: number;
  /** Owner user id */
  uid?: number | undefined;
  /** Owner */
  username?: string | undefined;
  /** sentry = the key of a DSN, which can only write; absent = api */
  kind?: TokenKind | undefined;
  /** Last four characters of the secret, to recognize it */
  token_tail?: string | undefined;
  state?: TokenState | undefined;
  /** null = all of the owner's permissions */
  scopes?: string[] | null | undefined;
  /** Addresses from which it works; empty = any */
  allowed_cidrs?: string[] | undefined;
  /** Unix seconds, at most a minute old; null = never */
  last_used?: number | null | undefined;
  last_address?: string | undefined;
  last_client?: string | undefined;
  /** Time until which the secret before the last rotation works; 0 = none (Unix milliseconds) */
  grace_until?: number | undefined;
}

/** Change of an API token: absent fields stay unchanged. */
export interface ApiTokenChange {
  name?: string | undefined;
  /** Unix milliseconds, 0 = never */
  expire?: number | undefined;
}

/** An API token to be created. */
export interface ApiTokenDraft {
  name?: string | null | undefined;
  /** Unix milliseconds, 0 = never */
  expire?: number | null | undefined;
  /** sentry = the key of a DSN, with the scope errlog:write alone; default api */
  kind?: TokenKind | null | undefined;
  /** Permissions of the token; absent = all of the owner's */
  scopes?: Array<'api_token:read' | 'api_token:write' | 'api_token:manage' | 'errlog:read' | 'errlog:write' | 'errlog:manage' | 'errlog:erase' | 'agent:read' | 'agent:write' | 'agent:enroll' | 'change:write' | 'alert:read' | 'alert:write' | 'webhook:manage' | 'enrollment:manage' | 'user:read' | 'user:write' | 'audit:read' | 'metrics:read'> | null | undefined;
  allowed_cidrs?: string[] | null | undefined;
}

/** API tokens to be revoked by their secrets. */
export interface ApiTokenRevocation {
  tokens: string[];
}

/** Rotation of the secret of an API token. */
export interface ApiTokenRotation {
  /** Seconds for which the old secret still works; default 0 */
  grace?: number | null | undefined;
}

/** Result of a revocation by secret. */
export interface ApiTokensRevoked {
  /** Number of revoked tokens */
  revoked: number;
}

/** The terminal that asks with a user code. */
export interface AskingDevice {
  /** Name that the terminal gives itself; nothing proves it */
  name: string;
  address: string;
  /** Program of the terminal */
  client: string;
  /** Unix seconds with fraction */
  created: number;
  /** Unix milliseconds */
  expire: number;
}

/** An entry of the audit log. `detail` never holds a secret. */
export interface AuditEntry {
  id: number;
  /** Unix seconds with fraction */
  time: number;
  /** noun.verb, such as user.login or api_token.create */
  action: string;
  actor: {
    /** user, agent, enrollment, system, local (a command on the host of the server) or nobody */
    kind: string;
    id: number;
    name: string;
    /** session:12, api_token:7, or empty */
    credential: string;
    address: string;
  };
  target: {
    kind: string;
    id: number;
  };
  request_id: string;
  detail: Record<string, unknown>;
  /** Hash of the previous entry */
  previous: string;
  hash: string;
}

/** Result of a check of the audit log, whose entries are a chain of hashes. */
export interface AuditVerdict {
  intact: boolean;
  checked: number;
  /** Id of the first entry that breaks the chain */
  broken_at: number | null;
}

/** Result of a change of many: the numbers of matched and changed ones, and the reasons for the others. */
export interface BulkResult {
  matched: number;
  /** 0 with dry_run */
  done: number;
  failed: Array<{
    id: number;
    msg: string;
  }>;
}

/** A change from outside. Texts that were not given are empty. */
export interface Change {
  id: number;
  /** Unix seconds with fraction */
  time: number;
  kind: string;
  name: string;
  before: string;
  after: string;
  /** Named hosts; the first 100 in lists */
  hosts: string[];
  /** Number of named hosts */
  host_count: number;
  /** Names in `hosts` that were no agent and no source when it was reported; the first 100 in lists */
  unknown_hosts: string[];
  labels: Record<string, string>;
  /** Number of agents that it concerned when it was reported */
  agents: number;
  service: string;
  url: string;
  author: string;
  /** Time of the report (Unix seconds with fraction) */
  created: number;
  /** User who reported it */
  created_by: string;
}

/** A change to be reported. Without hosts and labels, it concerns all agents. */
export interface ChangeDraft {
  /** Default now; at most 5 minutes ahead of the server and 30 days back (Unix seconds with fraction) */
  time?: number | undefined;
  /** Kind of change in your own words, such as deploy */
  kind: string;
  /** Name of the changed thing, such as a service */
  name: string;
  /** Value or version before */
  before?: string | undefined;
  /** Value or version after */
  after?: string | undefined;
  /** Hostnames, node_ids or addresses of agents, or names of sources */
  hosts?: string[] | undefined;
  /** Concerns the agents with all of these labels */
  labels?: AgentLabels | undefined;
  /** Service that was changed, as in log lines */
  service?: string | undefined;
  /** Page about the change: http or https */
  url?: string | undefined;
  /** Person who made the change */
  author?: string | undefined;
}

/** An error whose frequency changed on the hosts that made a change, and not as much on the others. */
export interface ChangeEffect {
  /** The group with the most occurrences on the hosts that made the change */
  id: number;
  level: number;
  log: string;
  service: string;
  /** Occurrences on the hosts that made the change, between `from` and `time` */
  before: number;
  /** Occurrences on the hosts that made the change, between `time` and `until` */
  after: number;
  /** Occurrences on the other hosts, between `from` and `time` */
  others_before: number;
  /** Occurrences on the other hosts, between `time` and `until` */
  others_after: number;
  /** new: it did not happen before on these hosts */
  verdict: 'new' | 'more' | 'less';
}

/** Effects of a change. */
export interface ChangeEffects {
  /**
   * worse: an error of level ERR or worse is new or more frequent; too_early: neither is certain yet, or no host is
   * known
   */
  verdict: 'worse' | 'no_difference' | 'too_early';
  /** Time of the change (Unix seconds with fraction) */
  time: number;
  /** Start of the comparison (Unix seconds) */
  from: number;
  /** End of the comparison (Unix seconds) */
  until: number;
  /** Hosts that made the change and reported in this span */
  hosts: number;
  /** Hosts that did not make it and reported in this span */
  others: number;
  /** false: there were too many errors to compare all of them, or lines were lost in the span */
  complete: boolean;
  /** At most 100: new and more frequent ones first */
  errors: ChangeEffect[];
}

/** Answer to the report of a change. */
export interface ChangeReceipt {
  id: number;
  /** Named hosts that are no agent and no source; they are kept */
  unknown_hosts: string[];
}

/**
 * Confidence that a change is the cause. `strong`: right in at least 95 of 100 cases; `likely`: in at least 85; `weak`:
 * no more than the best that is known.
 */
export type ChangeStrength = 'strong' | 'likely' | 'weak';

/** A time at which the error began or became more frequent, and the changes before it. */
export interface ChangeWindow {
  kind: 'first_seen' | 'spike';
  /** Time of the first occurrence, or begin of the spike (Unix seconds) */
  time: number;
  /** Start of the examined span (Unix seconds) */
  from: number;
  /** Occurrences in the minute at `time`; after two days, in its hour */
  count: number;
  /** Usual occurrences per minute before; 0 with first_seen */
  usual: number;
  /** Affected agents; in a spike, those on which the error became more frequent */
  affected: number;
  /** All other agents of that time */
  unaffected: number;
  /** Affected sources without a known agent */
  unknown: number;
  /** Label that divides the affected agents from the others; null = none, or a change explains the error */
  label: SharedLabel | null;
  /** The error, its hosts and its time, the change that explains it, and the next step, in a few sentences */
  summary: string;
  changes: SuspectedChange[];
}

/** Credentials that confirm a session: those of a sign-in without the username. */
export interface Confirmation {
  password: string;
  /** Code of the second factor, or a recovery code */
  otp?: string | null | undefined;
}

/** A confirmed session. */
export interface Confirmed {
  /** Unix milliseconds until which this session stays confirmed */
  until: number;
}

/** `waiting`: for its first attempt or the next one. `dead`: given up; it can be sent again. */
export type DeliveryState = 'waiting' | 'delivered' | 'dead';

/** The codes of a terminal. */
export interface DeviceCodes {
  /** Secret of the terminal */
  device_code: string;
  /** To be typed at the address */
  user_code: string;
  /** Address to open in a browser */
  verification_uri: string;
  /** Seconds between two requests for the session, at least */
  interval: number;
  /** Seconds for which the codes can be used */
  expires_in: number;
}

/** The decision of a person about a terminal. */
export interface DeviceDecision {
  user_code: string;
  /** false: the terminal is refused */
  approve?: boolean | undefined;
}

/** A user code of a terminal. */
export interface DeviceQuery {
  user_code: string;
}

/** A terminal that wants to sign in. */
export interface DeviceStart {
  /** Name of the terminal, such as ann@gw1; people see it */
  name?: string | undefined;
  /** The session lasts as long as that of the browser */
  remember?: boolean | undefined;
}

/** The request of a terminal for its session. */
export interface DeviceTokenRequest {
  device_code: string;
}

/** An enrollment token without its secret. */
export interface Enrollment {
  id: number;
  name: string;
  /** Unix milliseconds, 0 = never */
  expire: number;
  /** Maximum number of agents to register; 0 = unlimited */
  uses: number;
  /** Number of agents registered; the same node counts once */
  used: number;
  /** Labels of each agent that registers with it */
  labels: Record<string, string>;
  state: EnrollmentState;
  /** Last four characters of the secret, to recognize it */
  token_tail: string;
  /** Unix seconds with fraction */
  created: number;
  created_by: string;
  /** Unix seconds with fraction */
  last_used: number | null;
}

/** Change of an enrollment token: absent fields stay unchanged. Agents that it has registered keep their labels. */
export interface EnrollmentChange {
  name?: string | undefined;
  /** All labels: others are removed */
  labels?: AgentLabels | undefined;
}

/** An enrollment token to be created. */
export interface EnrollmentDraft {
  name?: string | undefined;
  /** Unix milliseconds; absent or 0 = never */
  expire?: number | null | undefined;
  /** Default 0 = unlimited */
  uses?: number | undefined;
  labels?: AgentLabels | undefined;
}

/** `active`, or the reason why it registers no more agents. */
export type EnrollmentState = 'active' | 'expired' | 'used_up';

/** Change of many groups: those of `ids`, or all that match `filter`. */
export interface ErrlogBulk {
  ids?: number[] | undefined;
  filter?: ErrlogFilter | undefined;
  state: ErrlogState;
  /** End of the mute: 1h, 7d, 100x, 100x/1h or forever */
  until?: string | undefined;
  /** Report the result without a change */
  dry_run?: boolean | undefined;
}

/** Change of a group by a person. `until` requires `muted`; without it a mute never ends. */
export interface ErrlogChange {
  state?: ErrlogState | undefined;
  /** End of the mute: 1h, 7d, 100x, 100x/1h or forever */
  until?: string | undefined;
  note?: string | undefined;
}

/** Changes before a group of errors, latest window first. */
export interface ErrlogChanges {
  windows: ChangeWindow[];
  /**
   * false: not all changes were examined, the history is shorter, or the caller lacks agent:read, without which
   * changes, labels and summaries are left out
   */
  complete: boolean;
}

/** A group of equal errors. The fields after `log` come with `detail=1`. */
export interface ErrlogEntry {
  id: number;
  /** Number of the level: 0 STDERR, 1 EMERG, to 8 DEBUG */
  level: number;
  /** Total number of occurrences */
  count: number;
  /** Source id; 0 = this server */
  src: number;
  /** Last occurrence, Unix seconds */
  log_time: number;
  /** Text of the latest occurrence */
  log: string;
  /** Unix seconds */
  first_seen?: number | undefined;
  state?: ErrlogState | undefined;
  /** Begin of this state, Unix seconds */
  state_since?: number | undefined;
  /** End of the mute, such as 1h or 100x; empty when not muted */
  until?: string | undefined;
  /** Time at which the mute ends, Unix seconds; 0 = never */
  until_time?: number | undefined;
  note?: string | undefined;
  app_id?: number | undefined;
  node_type?: number | undefined;
  node_id?: number | null | undefined;
  /** Name of the source; with its agent or address where another source has the same name */
  source?: string | undefined;
  /** Host that wrote the lines */
  host?: string | undefined;
  /** Identifies equal errors of a service, also across sources */
  fingerprint?: string | undefined;
  /** Program that writes the lines; empty = none */
  service?: string | undefined;
  /** Number of sources with this error: of one entry, and with rollup=1 */
  sources?: number | undefined;
  /** Occurrences from start_time to end_time */
  count_in_range?: number | undefined;
  /** Last occurrence from start_time to end_time (Unix seconds) */
  log_time_in_range?: number | undefined;
  /** Text of that occurrence; absent where it is no longer stored */
  log_in_range?: string | undefined;
}

/** Numbers of groups by value, over the groups of a filter. */
export interface ErrlogFacets {
  levels: Array<{
    /** Number of the level: 0 STDERR, 1 EMERG, to 8 DEBUG */
    level: number;
    count: number;
  }>;
  states: Array<{
    state: ErrlogState;
    count: number;
  }>;
  sources: Array<{
    src: number;
    name: string;
    node_type: number;
    node_id: number | null;
    count: number;
  }>;
  apps: Array<{
    app_id: number;
    count: number;
  }>;
  /** Groups without a known service are left out */
  services: Array<{
    service: string;
    count: number;
  }>;
  /** More groups match than were counted */
  partial?: true | undefined;
  meta: {
    /** false: the time of a search ran out before all lines were seen, or lines were lost in the span */
    complete: boolean;
    /** Times of lines that are missing because the stored bytes are damaged */
    damaged?: Array<{
      /** Unix seconds */
      from: number;
      /** Inclusive (Unix seconds) */
      to: number;
    }> | undefined;
    /**
     * Of an empty answer. silent: the sources have no lines in the span; filtered_out: they have, but none matches;
     * expired: retention has removed them
     */
    why_empty?: 'no_such_source' | 'silent' | 'filtered_out' | 'expired' | undefined;
    /** With silent: time of the last line before the span (Unix seconds) */
    silent_since?: number | undefined;
  };
}

/** Filter of groups as JSON. An unknown field is refused: a misspelled one would match everything. */
export interface ErrlogFilter {
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
  req_id?: string | undefined;
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
}

/** Number of occurrences in equal steps of time. */
export interface ErrlogHistogram {
  /** Unix seconds */
  start: number;
  /** Exclusive (Unix seconds) */
  end: number;
  /** Seconds per bucket, whole minutes */
  step: number;
  buckets: Array<{
    /** Start of the bucket (Unix seconds) */
    time: number;
    count: number;
    /** Occurrences by level number */
    levels: number[];
  }>;
  /** More groups match than were added up */
  partial?: true | undefined;
  meta: {
    /** false: the time of a search ran out before all lines were seen, or lines were lost in the span */
    complete: boolean;
    /** Times of lines that are missing because the stored bytes are damaged */
    damaged?: Array<{
      /** Unix seconds */
      from: number;
      /** Inclusive (Unix seconds) */
      to: number;
    }> | undefined;
    /**
     * Of an empty answer. silent: the sources have no lines in the span; filtered_out: they have, but none matches;
     * expired: retention has removed them
     */
    why_empty?: 'no_such_source' | 'silent' | 'filtered_out' | 'expired' | undefined;
    /** With silent: time of the last line before the span (Unix seconds) */
    silent_since?: number | undefined;
  };
}

/**
 * One line of the intake. `level` is a number or a name of the table, in any case. Other members become fields: a
 * number or boolean as its text, the members of an object by names with dots, a list as JSON. An object without `log`
 * is read as the JSON of a logger such as pino or winston. Its message is `message` or `msg`, its stack trace `stack`
 * or `err.stack`, and its `level` may also be one of pino's numbers (10 to 60).
 */
export interface ErrlogLine {
  level: number | string;
  log: string;
  /** Host that wrote the line: its source. Default: the name of the API token, or of the user */
  host?: string | Record<string, unknown> | null | undefined;
  /** Program that wrote the line; lines of two services never group */
  service?: string | Record<string, unknown> | null | undefined;
  /**
   * At most 128 fields; names of at most 128, values of at most 4096, all of at most 32768 characters. An empty value
   * is the same as none
   */
  fields?: Record<string, string | number | boolean> | null | undefined;
  /** Unix seconds */
  log_time?: number | null | undefined;
  app_id?: number | null | undefined;
  req_id?: string | number | null | undefined;
  node_type?: number | null | undefined;
  node_id?: number | null | undefined;
  count?: number | null | undefined;
}

/** One occurrence of a group, or several equal ones of the same second. */
export interface ErrlogOccurrence {
  /** Time of the occurrence, Unix seconds */
  time: number;
  /** Number of equal occurrences */
  count: number;
  req_id: string;
  app_id: number;
  log: string;
  /** The parts of the text: client, request, upstream ... */
  fields: Record<string, string>;
}

/** A page of the list of error logs. */
export interface ErrlogPage {
  data: ErrlogEntry[];
  meta: ErrlogPageMeta;
}

/**
 * `meta` of the list of error logs. When very many groups may contain `q`, counting stops at 500 or at the end of the
 * page; then `capped` is set and `count` is a lower bound.
 */
export interface ErrlogPageMeta {
  count: number;
  capped?: true | undefined;
  /**
   * false: the time of the search ran out, and more groups may match, or lines were lost in the span; absent without a
   * search and a span
   */
  complete?: boolean | undefined;
  /**
   * Of an empty answer. silent: the sources have no lines in the span; filtered_out: they have, but none matches;
   * expired: retention has removed them
   */
  why_empty?: 'no_such_source' | 'silent' | 'filtered_out' | 'expired' | undefined;
  /** With silent: time of the last line before the span (Unix seconds) */
  silent_since?: number | undefined;
  /** With a cursor: that of the next page; null after the last one, absent with rollup */
  next?: string | null | undefined;
}

/** Stored form of a line: the answer to a dry run. */
export interface ErrlogPreview {
  /** Index of the line in the batch */
  index: number;
  /** Number of the level: 0 STDERR, 1 EMERG, to 8 DEBUG */
  level: number;
  log: string;
  fingerprint: string;
  /** Input of the fingerprint: the text without its variable parts */
  pattern: string;
  /** Group that would count the line; null = a new one, or none that the caller may read */
  group: number | null;
  /** Name of the source */
  source: string;
  /** Host that wrote the line: the name of its source */
  host: string;
  /** Program that wrote the line; empty for none */
  service: string;
  fields: Record<string, string>;
}

/**
 * Receipt for a batch: the number of stored lines, and the lines that could not be read, by their index. `warnings`
 * names what of stored lines could not be kept as it came.
 */
export interface ErrlogReceipt {
  accepted: number;
  refused: Array<{
    index: number;
    message: string;
  }>;
  /** Fields that were dropped, cut or replaced; the first 100 warnings */
  warnings?: Array<{
    /** Index of the line in the batch; of the first line where it holds for many */
    index: number;
    /** Names of the fields, at most 32, each cut after 64 characters */
    fields: string[];
    /** Reason */
    message: string;
  }> | undefined;
  /** Number of lines with a warning */
  warned?: number | undefined;
  /** With dry_run=1: nothing was stored */
  preview?: ErrlogPreview[] | undefined;
}

/** A source of error logs. */
export interface ErrlogSource {
  id: number;
  node_type: number;
  node_id: number | null;
  name: string;
  address: string;
  /** Unix seconds */
  created: number;
  /** Groups of this source */
  groups: number;
  /** Agent that sends it with its own secret; 0 = none */
  agent_id: number;
}

/**
 * State of a group. `new`: first seen, or set so, within a day. `ongoing`: known and open. `resolved`: closed by a
 * person. `regressed`: happened again after `resolved`. `muted`: hidden until its mute ends.
 */
export type ErrlogState = 'new' | 'ongoing' | 'regressed' | 'muted' | 'resolved';

/** `err` of a failure. `code` is text, not an enum, so that an older client can read a newer server. */
export interface ErrorBody {
  /**
   * One of: bad_request, body_missing, malformed_json, validation_failed, unknown_field, address_not_allowed,
   * nothing_accepted, authorization_pending, slow_down, expired_token, access_denied, credential_missing,
   * credential_invalid, session_expired, token_expired, login_failed, otp_required, scope_missing,
   * second_factor_demanded, reauthentication_required, enrollment_used_up, forbidden, not_found, unknown_path,
   * method_not_allowed, request_timeout, conflict, idempotency_conflict, token_limit_reached, last_master,
   * username_taken, precondition_failed, too_large, unsupported_media_type, headers_too_large, too_many_requests,
   * rate_limited, stream_limit_reached, export_limit_reached, quota_exceeded, internal, coding_not_implemented,
   * overloaded, database_busy, database_unavailable, identity_unavailable, storage_full, shutting_down
   */
  code: string;
  detail?: string | undefined;
  fields?: Array<{
    path: string;
    message: string;
  }> | undefined;
  /** With precondition_failed: the addressed object as it is now, with all details */
  current?: Record<string, unknown> | undefined;
  request_id: string;
}

/** A failure: `status` is the HTTP status, so the body also reads as an RFC 9457 problem document. */
export interface Failure {
  status: number;
  msg: string;
  /** Unix seconds */
  time: number;
  err: ErrorBody;
}

/** The user with a name; an empty object when there is none. */
export interface FoundUser {
  id?: number | undefined;
  username?: string | undefined;
  role?: string | undefined;
  disabled?: boolean | undefined;
  second_factor?: boolean | undefined;
  /** Unix seconds with fraction */
  _created_unix?: number | undefined;
  /** Unix seconds with fraction */
  _modified_unix?: number | undefined;
}

/** Answer to the report of an agent. */
export interface HeartbeatResponse {
  /** Seconds until the next report */
  interval: number;
  /** Settings of an administrator; absent = none */
  settings?: AgentSettings | undefined;
  /** Requested operations; absent = none */
  operations?: PendingOperation[] | undefined;
  /** Changes up to this number are stored; absent = none sent */
  changes_stored?: number | undefined;
}

/** A certificate at one place of a host. */
export interface HostCertificate {
  /** Path of the file, or HOST:PORT */
  place: string;
  subject: string;
  issuer: string;
  /** The first 16 hexadecimal digits of the SHA-256 of the certificate */
  fingerprint: string;
  /** End of its validity (Unix seconds) */
  expire: number;
}

/** A change on a host, as its agent reports it. It is repeated until the server has stored it. */
export interface HostChange {
  /** Number of the change on this agent; rises by one */
  seq: number;
  /** Seconds from the change to this report */
  ago: number;
  kind: 'config' | 'program' | 'package' | 'certificate' | 'unit' | 'clock' | 'disk' | 'dns' | 'time_zone' | 'container';
  /** The changed thing: a path, a program, a package */
  field: string;
  from: string;
  to: string;
  /** Changed lines with secrets masked */
  diff?: string | undefined;
}

/** The changed lines of an entry of an agent's history. */
export interface HostChangeDiff {
  diff: string;
}

/** A person at a provider who signs in as a user here. Issuer and subject name the person; an e-mail never does. */
export interface Identity {
  id: number;
  issuer: string;
  subject: string;
  /** Unix seconds with fraction */
  created: number;
  /** Unix seconds of the last sign-in; null = never */
  last_used: number | null;
}

/** A person of a provider to be linked to a user. */
export interface IdentityDraft {
  issuer: string;
  subject: string;
}

/** A pattern of kernels. */
export interface KernelRule {
  id: number;
  pattern: string;
  reason: string;
  /** Number of agents with a matching kernel */
  agents: number;
  /** Unix seconds with fraction */
  created: number;
  created_by: string;
}

/** A pattern of kernels to be created. */
export interface KernelRuleDraft {
  /** Complete kernel name; * matches any text, ? any character: 5.10.0-2?-* */
  pattern: string;
  /** Shown with each matching agent */
  reason: string;
}

/** Span in which lines of a source were lost. */
export interface LedgerGap {
  src: number;
  /** As in dropped; down = no server received syslog, or the last one was killed */
  stage: 'rotation' | 'spool_full' | 'skipped' | 'missing' | 'udp' | 'quota' | 'refused' | 'damaged' | 'down';
  /** Unix seconds */
  start_time: number;
  /** Inclusive (Unix seconds) */
  end_time: number;
  /** As in dropped; null = unknown */
  lines: number | null;
}

/** Rows of the ledger, newest minute first. */
export interface LedgerPage {
  data: LedgerRow[];
  meta: {
    /** false: lines were lost in the span, or the ledger does not reach back to its start */
    complete: boolean;
    /** Oldest first */
    gaps: LedgerGap[];
    /** There are more rows or gaps: narrow the span */
    more?: true | undefined;
  };
}

/** Lines of a source within a minute; a line that stands for n equal ones counts n. */
export interface LedgerRow {
  /** Source id; 0 = this server, also for the losses of its listeners */
  src: number;
  /** Start of the minute in which the lines arrived, Unix seconds */
  minute: number;
  /** Read by the agent; null = the sender does not number its batches */
  read: number | null;
  /** In numbered batches that arrived; null as above */
  sent: number | null;
  /** stored and refused */
  received: number;
  /** grouped and flood */
  stored: number;
  /** In the groups of their errors */
  grouped: number;
  /** Lines whose time cannot be known: they have that of their arrival; absent = none */
  lines_without_time?: number | undefined;
  /** Lines whose level cannot be known; absent = none */
  lines_without_level?: number | undefined;
  /**
   * Lines by stage. rotation: files deleted or truncated before the agent read them; spool_full: the same while its
   * spool was full (one for each loss). skipped: entries of the journal that the agent could not read. missing: in
   * batches that never arrived. udp: datagrams. quota: turned away; a sender that repeats them loses none. refused: not
   * readable. flood: stored in the group for too many new errors. cut: stored without the end of their text. damaged:
   * stored, and lost since by a damaged disk; counted when repaired. sentry_...: items of envelopes of Sentry that are
   * no lines, such as sentry_session; not in received
   */
  dropped: Partial<Record<'rotation' | 'spool_full' | 'skipped' | 'missing' | 'udp' | 'quota' | 'refused' | 'flood' | 'cut' | 'damaged' | `sentry_${string}`, number>>;
}

/** A stored line. */
export interface Line {
  /** Opaque text */
  id: string;
  /** Unix seconds, with a fraction where the sender gave one */
  time: number;
  /** Number of the level: 0 STDERR, 1 EMERG, to 8 DEBUG */
  level: number;
  log: string;
  /** Fields of the sender, and parts of the text */
  fields: Record<string, string>;
  /** Id of its entry in the list of error logs */
  group: number;
  /** Source id; 0 = this server */
  src: number;
  /** Name of the source */
  source: string;
  host: string;
  /** Program that wrote the line; empty = none */
  service: string;
  /** 0 = none */
  app_id: number;
  /** Empty = none */
  req_id: string;
  /** Number of equal lines that it stands for */
  count: number;
}

/** Lines around a line, itself included, in the order of time. */
export interface LineContext {
  data: Line[];
  meta?: {
    /** false: lines around it are damaged */
    complete: boolean;
    /** Times of lines that are missing because the stored bytes are damaged */
    damaged?: Array<{
      /** Unix seconds */
      from: number;
      /** Inclusive (Unix seconds) */
      to: number;
    }> | undefined;
  } | undefined;
}

/** Lines to be erased for good. */
export interface LineErase {
  /** Filter language: text, "phrases", /expressions/, field:value, OR, -term and (groups); at most 4 KiB */
  filter: string;
  /** Count the lines without a change */
  dry_run?: boolean | undefined;
}

/** Result of erasing lines. */
export interface LineErased {
  /** Number of stored lines that match */
  matched: number;
  /** Number of lines that were erased; 0 with dry_run */
  erased: number;
  /** Error groups whose newest text matches, and is replaced */
  groups: number;
  /** Alerts whose texts are replaced */
  alerts: number;
  /** Messages to channels whose texts are replaced, sent or not */
  messages: number;
  /** Of these, the ones that a receiver may have got with the text */
  sent: number;
  /** Copies in the data folder and the folder of backups that may still hold the lines */
  backups: string[];
  /** Times of lines that are missing because the stored bytes are damaged */
  damaged?: Array<{
    /** Unix seconds */
    from: number;
    /** Inclusive (Unix seconds) */
    to: number;
  }> | undefined;
}

/** Number of occurrences in equal steps of time. */
export interface LineHistogram {
  /** Unix seconds */
  start: number;
  /** Exclusive (Unix seconds) */
  end: number;
  /** Seconds per bucket */
  step: number;
  buckets: Array<{
    /** Start of the bucket (Unix seconds) */
    time: number;
    count: number;
    /** Occurrences by level number */
    levels: number[];
  }>;
  meta: {
    /** false: the time of a search ran out before all lines were seen, or lines were lost in the span */
    complete: boolean;
    /** Times of lines that are missing because the stored bytes are damaged */
    damaged?: Array<{
      /** Unix seconds */
      from: number;
      /** Inclusive (Unix seconds) */
      to: number;
    }> | undefined;
    /**
     * Of an empty answer. silent: the sources have no lines in the span; filtered_out: they have, but none matches;
     * expired: retention has removed them
     */
    why_empty?: 'no_such_source' | 'silent' | 'filtered_out' | 'expired' | undefined;
    /** With silent: time of the last line before the span (Unix seconds) */
    silent_since?: number | undefined;
  };
}

/**
 * A page of lines, the newest first; equal times in the order of arrival, the last first. An incomplete one can be
 * continued with a cursor.
 */
export interface LinePage {
  data: Line[];
  meta: {
    /** Cursor of older lines; null = none are left */
    before: string | null;
    /** Cursor of newer lines; null = none are newer */
    after: string | null;
    /** Number of lines that the answer is about */
    scanned: number;
    /** false: the time of a search ran out before all lines were seen, or lines were lost in the span */
    complete: boolean;
    /** Times of lines that are missing because the stored bytes are damaged */
    damaged?: Array<{
      /** Unix seconds */
      from: number;
      /** Inclusive (Unix seconds) */
      to: number;
    }> | undefined;
    /**
     * Of an empty answer. silent: the sources have no lines in the span; filtered_out: they have, but none matches;
     * expired: retention has removed them
     */
    why_empty?: 'no_such_source' | 'silent' | 'filtered_out' | 'expired' | undefined;
    /** With silent: time of the last line before the span (Unix seconds) */
    silent_since?: number | undefined;
  };
}

/** Values of a field with their numbers of occurrences. */
export interface LineValues {
  /** The most frequent first */
  values: Array<{
    value: string;
    count: number;
  }>;
  /** Occurrences of all other values */
  other: number;
  /** Number of different values; a lower bound where there are very many */
  distinct: number;
  meta: {
    /** false: the time of a search ran out before all lines were seen, or lines were lost in the span */
    complete: boolean;
    /** Times of lines that are missing because the stored bytes are damaged */
    damaged?: Array<{
      /** Unix seconds */
      from: number;
      /** Inclusive (Unix seconds) */
      to: number;
    }> | undefined;
    /**
     * Of an empty answer. silent: the sources have no lines in the span; filtered_out: they have, but none matches;
     * expired: retention has removed them
     */
    why_empty?: 'no_such_source' | 'silent' | 'filtered_out' | 'expired' | undefined;
    /** With silent: time of the last line before the span (Unix seconds) */
    silent_since?: number | undefined;
  };
}

/** Lines that a subscriber did not get. */
export interface LinesMissed {
  /** Lines since the one before */
  count: number;
  /** false: an upper bound, because the lines were not compared with the filter */
  exact: boolean;
}

/** Credentials of a sign-in. */
export interface Login {
  username: string;
  password: string;
  /** true: the session lasts 31 days instead of 8 hours */
  remember?: boolean | null | undefined;
  /** Builtin, the default: user name and password. Providers are opened in a browser: GET user/providers */
  plugin?: string | null | undefined;
  /** Code of the second factor, or a recovery code */
  otp?: string | null | undefined;
}

/** Result of a sign-in. */
export interface LoginResult {
  _created_unix: string;
  _modified_unix: string;
  username: string;
  /** The session token; send it back in the header edge-token. Absent where it is in a cookie */
  'edge-token'?: string | undefined;
  /** The same value, under the name the official client reads */
  token?: string | undefined;
  /** Unix milliseconds */
  expire: number;
  id: number;
  role: string;
  login_2fa: {
    enabled?: boolean | undefined;
    method?: string | undefined;
  };
}

/** The caller: identity, permissions, and the credential of this request. */
export interface Me {
  id: number;
  username: string;
  role: string;
  permissions: Array<'api_token:read' | 'api_token:write' | 'api_token:manage' | 'errlog:read' | 'errlog:write' | 'errlog:manage' | 'errlog:erase' | 'agent:read' | 'agent:write' | 'agent:enroll' | 'change:write' | 'alert:read' | 'alert:write' | 'webhook:manage' | 'enrollment:manage' | 'user:read' | 'user:write' | 'audit:read' | 'metrics:read'>;
  second_factor: boolean;
  /** The role requires it; everything else is refused before */
  must_set_up_second_factor: boolean;
  credential: {
    kind: 'session' | 'api_token';
    id: number;
    /** Unix milliseconds, 0 = never */
    expire: number;
  };
  /** Provider that this session was opened with */
  provider?: string | undefined;
}

/** A change that the same agents made together with another one. */
export interface MergedChange {
  kind: AgentEventKind;
  /** Such as system_version.kernel; empty when the kind is enough */
  field: string;
  /** Name of a change from outside; empty = none */
  name: string;
  /** Value on most of the affected agents; empty = different values, or none */
  from: string;
  to: string;
}

/** Parts of a message that a channel can do without. The title, and what happened to the alert, are always there. */
export type MessagePart = 'counts' | 'hosts' | 'cause' | 'lines' | 'facts' | 'links';

/** An API token with its secret: the answer to its creation, once. */
export interface NewApiToken {
  id: number;
  name: string;
  /** Unix milliseconds, 0 = never */
  expire: number;
  /** Unix seconds with fraction */
  _created_unix: number;
  /** Unix seconds with fraction */
  _modified_unix: number;
  uid: number;
  /** Owner */
  username?: string | undefined;
  /** sentry = the key of a DSN, which can only write; absent = api */
  kind?: TokenKind | undefined;
  /** Last four characters of the secret, to recognize it */
  token_tail?: string | undefined;
  state?: TokenState | undefined;
  /** null = all of the owner's permissions */
  scopes?: string[] | null | undefined;
  /** Addresses from which it works; empty = any */
  allowed_cidrs?: string[] | undefined;
  /** Unix seconds, at most a minute old; null = never */
  last_used?: number | null | undefined;
  last_address?: string | undefined;
  last_client?: string | undefined;
  /** Time until which the secret before the last rotation works; 0 = none (Unix milliseconds) */
  grace_until?: number | undefined;
  token: string;
}

/** An enrollment token with its secret: the answer to its creation, once. */
export interface NewEnrollment {
  id: number;
  name: string;
  /** Unix milliseconds, 0 = never */
  expire: number;
  /** Maximum number of agents to register; 0 = unlimited */
  uses: number;
  /** Number of agents registered; the same node counts once */
  used: number;
  /** Labels of each agent that registers with it */
  labels: Record<string, string>;
  state: EnrollmentState;
  /** Last four characters of the secret, to recognize it */
  token_tail: string;
  /** Unix seconds with fraction */
  created: number;
  created_by: string;
  /** Unix seconds with fraction */
  last_used: number | null;
  token: string;
}

/** A channel with the secret that signs its messages, once; null where its kind has none. */
export interface NewWebhook {
  id: number;
  name: string;
  kind: WebhookKind;
  /** Of slack, teams, ntfy and discord only the host: the rest is a secret; null for email */
  url: string | null;
  to: string[];
  types: string[];
  filter: string;
  enabled: boolean;
  prefix: string;
  parts: MessagePart[];
  /** Chat of telegram */
  chat: string | null;
  /** Names of its secret settings, which no answer has */
  secrets: Array<'token' | 'chat' | 'key' | 'user' | 'callback_secret'>;
  /** Types of `types` that it does not get, because the user who chose them has lost a right */
  withheld: string[];
  /** Deliveries that wait */
  waiting: number;
  /** Deliveries that were given up */
  dead: number;
  /** Time since which nothing was delivered; null = it works (Unix seconds with fraction) */
  failing_since: number | null;
  /**
   * Time at which the receiver answered 410, which disabled the channel; null = a change of `enabled` ended it (Unix
   * seconds with fraction)
   */
  gone_since: number | null;
  /** Rules that send to it */
  rules: number;
  /** Unix seconds with fraction */
  created: number;
  created_by: string;
  /** Unix seconds with fraction */
  modified: number;
  /** whsec_..., as in Standard Webhooks */
  secret: string | null;
}

/** An operation, as an administrator sees it. */
export interface Operation {
  id: number;
  agent_id: number;
  hostname: string;
  kind: OperationKind;
  params: OperationParams;
  state: OperationState;
  progress: number;
  /** The agent's report, or the reason of the end */
  detail: string;
  /** Unix seconds with fraction */
  created: number;
  /** Unix seconds with fraction */
  modified: number;
  /** Deadline of the current step; 0 after the end (Unix seconds) */
  deadline: number;
  created_by: string;
}

/** An operation to be requested. Each step has a deadline, so none stays in progress for ever. */
export interface OperationDraft {
  agent_id: number;
  kind: OperationKind;
  params?: OperationParams | undefined;
  /** Seconds for the agent to begin; default 3600 */
  start_within?: number | undefined;
  /** Seconds for the agent to finish after its begin; default 1800 */
  run_within?: number | undefined;
}

/**
 * Kind of an operation. `collect_facts`: report every fact again. `upgrade`: run the hook that the operator of the host
 * configured. `restart_tailer`: reopen the followed log files.
 */
export type OperationKind = 'collect_facts' | 'upgrade' | 'restart_tailer';

/** Parameters of an operation. */
export interface OperationParams {
  /** With upgrade: the target version, passed to the hook */
  version?: string | undefined;
}

/**
 * State of an operation. `queued`: waits for the agent. `delivered`: sent to it. `running`: in progress. The others are
 * final.
 */
export type OperationState = 'queued' | 'delivered' | 'running' | 'succeeded' | 'failed' | 'expired' | 'cancelled';

/** An outage: many agents that went silent together, reported as one incident. */
export interface Outage {
  id: number;
  /** Unix seconds */
  started: number;
  /** Time at which enough of them reported again; null = not yet (Unix seconds) */
  ended: number | null;
  /** Agents that went silent */
  lost: number;
  /** Agents of these that report again */
  returned: number;
  /** Some of the agents that are still silent */
  sample: Array<{
    id: number;
    hostname: string;
  }>;
}

/** Change of one's own password. */
export interface PasswordChange {
  current_password: string;
  password: string;
}

/** Request for an operation, repeated until the agent reports its begin. */
export interface PendingOperation {
  id: number;
  kind: OperationKind;
  params: OperationParams;
  /** Deadline, by the server's clock (Unix seconds) */
  deadline: number;
  /** Seconds until the deadline, for an agent whose clock is wrong */
  seconds: number;
}

/** A failure for who asks for `application/problem+json`: the envelope with the members of RFC 9457. */
export interface Problem {
  status: number;
  msg: string;
  /** Unix seconds */
  time: number;
  err: ErrorBody;
  /** urn:quarterdeck:error: and the code */
  type: string;
  /** The kind of the failure, the same each time */
  title: string;
  /** This failure */
  detail: string;
  /** urn:quarterdeck:request: and the request id */
  instance: string;
}

/** Parts of a profile that are still on their way to nodes, in the form the official client reads. */
export interface ProfileSync {
  ngx: boolean;
  lua_module: boolean;
}

/** Recovery codes, each for one use, shown only here. */
export interface RecoveryCodes {
  recovery_codes: string[];
}

/** Events were lost: read the lists of this kind again. */
export interface Resync {
  reason: string;
  of: 'errlog' | 'agent' | 'all';
}

/** Role of a user. */
export type Role = 'master' | 'operator' | 'viewer';

/** First code of a second factor, which turns it on. */
export interface SecondFactorConfirmation {
  otp: string;
}

/** Set-up of a second factor: the data for the phone, shown only here. */
export interface SecondFactorDraft {
  /** Base32 */
  secret: string;
  /** otpauth:// URI, for a QR code */
  uri: string;
}

/** Credentials that turn a second factor off. */
export interface SecondFactorRemoval {
  password: string;
  otp: string;
}

/** Start of the set-up of a second factor. */
export interface SecondFactorStart {
  password: string;
}

/** Version of a server, in the form the official client reads. */
export interface ServerVersion {
  /** major * 1,000,000 + minor * 1,000 + patch */
  version: number;
  product_type: string;
}

/** A session of the caller. */
export interface Session {
  id: number;
  /** The session of this request */
  current: boolean;
  address: string;
  client: string;
  /** Unix seconds with fraction */
  created: number;
  /** Unix seconds with fraction, at most a minute old; 0 = never */
  last_used: number;
  /** Unix milliseconds */
  expire: number;
  /** Unix milliseconds at which it ends without use; 0 = no idle timeout */
  idle_until: number;
}

/** A label, and its distribution over agents with and without the error. */
export interface SharedLabel {
  name: string;
  value: string;
  affected: {
    /** Agents with the change */
    with: number;
    of: number;
  };
  unaffected: {
    /** Agents with the change */
    with: number;
    of: number;
  };
}

/** Ways to sign in. */
export interface SignInProviders {
  /** Users who may sign in with a password; the others sign in with a provider */
  password_login: 'all' | 'masters';
  providers: Array<{
    name: string;
    /** Path that a browser opens to sign in; `to` is the path of this server to go to afterwards */
    path: string;
  }>;
}

/** A change, and its distribution over agents with and without the error. */
export interface SuspectedChange {
  kind: AgentEventKind;
  /** Such as system_version.kernel; empty when the kind is enough */
  field: string;
  /** Name of a change from outside; empty = none */
  name: string;
  /** Value on most of the affected agents; empty = different values, or none */
  from: string;
  to: string;
  /** Affected agents, within the hour before the error began on each */
  affected: {
    /** Agents with the change */
    with: number;
    of: number;
  };
  /** Agents without the error, over the whole examined span */
  unaffected: {
    /** Agents with the change */
    with: number;
    of: number;
  };
  strength: ChangeStrength;
  /** Probability that the change is the cause; the list is ordered by it */
  score: number;
  /** The earliest such change (Unix seconds) */
  first: number;
  /** Unix seconds */
  last: number;
  /** Median seconds from the change to the error, over the affected agents */
  before: number;
  /** Id of the change from outside; 0 = none */
  change_id: number;
  /** Address of the change from outside; empty = none */
  url: string;
  /** The changed lines are stored */
  has_diff: boolean;
  /** Changes that the same agents made together with it: one cause, named by its most telling change */
  with: MergedChange[];
  /** Some of the affected agents, with the time of their change */
  agents: Array<{
    id: number;
    hostname: string;
    /** Unix seconds */
    time: number;
  }>;
  /** The same as a sentence */
  explanation: string;
}

/** An API token that expires soon. */
export interface TokenExpiring {
  id: number;
  name: string;
  /** Owner user id */
  uid: number;
  /** Unix milliseconds */
  expire: number;
  /** Days until it expires */
  days: number;
}

/** Kind of a token: `sentry` is the key of a DSN, which does nothing but write events of Sentry's SDKs. */
export type TokenKind = 'api' | 'sentry';

/** An API token whose replaced secret was used after the grace of its rotation. */
export interface TokenReused {
  id: number;
  name: string;
  /** Owner user id */
  uid: number;
  /** Address of the request */
  address: string;
}

/** An API token whose secret or expiry changed, or that was disabled or deleted: check it again before the next use. */
export interface TokenRevoked {
  id: number;
  /** Owner user id */
  uid: number;
}

/** State of a token. `expiring`: within seven days. */
export type TokenState = 'active' | 'expiring' | 'expired' | 'disabled';

/** A user as user managers see it. */
export interface User {
  id: number;
  username: string;
  role: string;
  disabled: boolean;
  second_factor: boolean;
  /** Unix seconds with fraction */
  _created_unix: number;
  /** Unix seconds with fraction */
  _modified_unix: number;
}

/** Change of a user: absent fields stay unchanged. A new password ends the user's sessions. */
export interface UserChange {
  username?: string | undefined;
  password?: string | undefined;
  role?: Role | undefined;
  disabled?: boolean | undefined;
}

/** A user to be created. */
export interface UserDraft {
  username: string;
  password: string;
  role: Role;
}

/** Policy that applies to all users. */
export interface UserPolicy {
  /** Roles that must have a second factor */
  require_2fa: Role[];
}

/** A user who was disabled, deleted, signed out or given another role: check the user's credentials again. */
export interface UserRevoked {
  id: number;
}

/** A channel without its secrets. */
export interface Webhook {
  id: number;
  name: string;
  kind: WebhookKind;
  /** Of slack, teams, ntfy and discord only the host: the rest is a secret; null for email */
  url: string | null;
  to: string[];
  types: string[];
  filter: string;
  enabled: boolean;
  prefix: string;
  parts: MessagePart[];
  /** Chat of telegram */
  chat: string | null;
  /** Names of its secret settings, which no answer has */
  secrets: Array<'token' | 'chat' | 'key' | 'user' | 'callback_secret'>;
  /** Types of `types` that it does not get, because the user who chose them has lost a right */
  withheld: string[];
  /** Deliveries that wait */
  waiting: number;
  /** Deliveries that were given up */
  dead: number;
  /** Time since which nothing was delivered; null = it works (Unix seconds with fraction) */
  failing_since: number | null;
  /**
   * Time at which the receiver answered 410, which disabled the channel; null = a change of `enabled` ended it (Unix
   * seconds with fraction)
   */
  gone_since: number | null;
  /** Rules that send to it */
  rules: number;
  /** Unix seconds with fraction */
  created: number;
  created_by: string;
  /** Unix seconds with fraction */
  modified: number;
}

/** Changes of a channel; what is absent stays, and its kind stays always. */
export interface WebhookChange {
  name?: string | undefined;
  /** Address of the receiver, or of the service where that is not its own; not for email */
  url?: string | undefined;
  /** Recipients of email */
  to?: string[] | undefined;
  /** Events that it gets without a rule */
  types?: Array<'errlog.new' | 'errlog.repeated' | 'errlog.regressed' | 'errlog.changed' | 'agent.registered' | 'agent.online' | 'agent.offline' | 'agent.changed' | 'agent.removed' | 'agent.outage' | 'change.created' | 'alert.firing' | 'alert.updated' | 'alert.acknowledged' | 'alert.assigned' | 'alert.resolved' | 'token.expiring' | 'token.reused' | 'token.revoked' | 'user.revoked' | 'resync'> | undefined;
  /** Narrows the events about errors, in the filter language */
  filter?: string | undefined;
  enabled?: boolean | undefined;
  /** Text before the title of each message */
  prefix?: string | undefined;
  /** Parts that messages have; empty = all */
  parts?: MessagePart[] | undefined;
  /** Secret of ntfy, telegram and pushover; an empty one removes it */
  token?: string | undefined;
  /** Chat of telegram; an empty one removes it */
  chat?: string | undefined;
  /** Secret of pagerduty and opsgenie; an empty one removes it */
  key?: string | undefined;
  /** Secret user key of pushover; an empty one removes it */
  user?: string | undefined;
  /** Secret that signs the requests of pagerduty to the callback; an empty one removes it */
  callback_secret?: string | undefined;
}

/** One message to one channel. */
export interface WebhookDelivery {
  id: number;
  /** The same in each attempt: receivers drop what they know */
  message_id: string;
  type: string;
  state: DeliveryState;
  attempts: number;
  /** Unix seconds with fraction */
  created: number;
  /** Unix seconds with fraction */
  next_attempt: number | null;
  /** Unix seconds with fraction */
  last_attempt: number | null;
  /** HTTP status of the last answer */
  status: number | null;
  /** Why the last attempt failed; empty = it did not */
  error: string;
  /** Answer of the receiver to a test message that it took, in short */
  answer: string;
  /** The message; empty where `needs` is set */
  body: Record<string, unknown>;
  /** Permission to read the message, which the caller lacks; null = it is shown */
  needs: 'api_token:read' | 'api_token:write' | 'api_token:manage' | 'errlog:read' | 'errlog:write' | 'errlog:manage' | 'errlog:erase' | 'agent:read' | 'agent:write' | 'agent:enroll' | 'change:write' | 'alert:read' | 'alert:write' | 'webhook:manage' | 'enrollment:manage' | 'user:read' | 'user:write' | 'audit:read' | 'metrics:read' | null;
}

/** A channel to be created. */
export interface WebhookDraft {
  name: string;
  kind?: WebhookKind | undefined;
  /** Address of the receiver, or of the service where that is not its own; not for email */
  url?: string | undefined;
  /** Recipients of email */
  to?: string[] | undefined;
  /** Events that it gets without a rule */
  types?: Array<'errlog.new' | 'errlog.repeated' | 'errlog.regressed' | 'errlog.changed' | 'agent.registered' | 'agent.online' | 'agent.offline' | 'agent.changed' | 'agent.removed' | 'agent.outage' | 'change.created' | 'alert.firing' | 'alert.updated' | 'alert.acknowledged' | 'alert.assigned' | 'alert.resolved' | 'token.expiring' | 'token.reused' | 'token.revoked' | 'user.revoked' | 'resync'> | undefined;
  /** Narrows the events about errors, in the filter language */
  filter?: string | undefined;
  enabled?: boolean | undefined;
  /** Text before the title of each message */
  prefix?: string | undefined;
  /** Parts that messages have; empty = all */
  parts?: MessagePart[] | undefined;
  /** Secret of ntfy, telegram and pushover; an empty one removes it */
  token?: string | undefined;
  /** Chat of telegram; an empty one removes it */
  chat?: string | undefined;
  /** Secret of pagerduty and opsgenie; an empty one removes it */
  key?: string | undefined;
  /** Secret user key of pushover; an empty one removes it */
  user?: string | undefined;
  /** Secret that signs the requests of pagerduty to the callback; an empty one removes it */
  callback_secret?: string | undefined;
}

/** Kind of a channel: the form of its messages. */
export type WebhookKind = 'standard' | 'slack' | 'teams' | 'alertmanager' | 'email' | 'ntfy' | 'telegram' | 'discord' | 'pagerduty' | 'pushover' | 'opsgenie';

/** Rotation of the secret of a channel. */
export interface WebhookRotation {
  /** Seconds for which messages are signed with the old secret as well; default 0 */
  grace?: number | null | undefined;
}

/** Query of the event stream. */
export interface EventQuery {
  types?: string | undefined;
  /** Filter language: text, "phrases", /expressions/, field:value, OR, -term and (groups); at most 4 KiB */
  filter?: string | undefined;
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
  /** Source id */
  src?: number | undefined;
  /** One or more of new, ongoing, regressed, muted, resolved, comma-separated */
  state?: string | undefined;
  /** Groups with a stored line that contains this, taken literally; ASCII letters in any case */
  q?: string | undefined;
  /** The same error on every source */
  fingerprint?: string | undefined;
}

/** Query of an export of lines. */
export interface LineExportQuery {
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
  format?: 'ndjson' | 'csv' | undefined;
  /** Only lines that arrived after this one: where an export that broke off goes on */
  after_id?: string | undefined;
}

/** One event as a subscriber receives it: its type decides its data. */
export type QuarterdeckEvent =
  | { readonly id: string; readonly type: 'errlog.new'; readonly data: ErrlogEntry }
  | { readonly id: string; readonly type: 'errlog.repeated'; readonly data: ErrlogEntry }
  | { readonly id: string; readonly type: 'errlog.regressed'; readonly data: ErrlogEntry }
  | { readonly id: string; readonly type: 'errlog.changed'; readonly data: ErrlogEntry }
  | { readonly id: string; readonly type: 'agent.registered'; readonly data: Agent }
  | { readonly id: string; readonly type: 'agent.online'; readonly data: Agent }
  | { readonly id: string; readonly type: 'agent.offline'; readonly data: Agent }
  | { readonly id: string; readonly type: 'agent.changed'; readonly data: Agent }
  | { readonly id: string; readonly type: 'agent.removed'; readonly data: AgentRemoved }
  | { readonly id: string; readonly type: 'agent.outage'; readonly data: Outage }
  | { readonly id: string; readonly type: 'change.created'; readonly data: Change }
  | { readonly id: string; readonly type: 'alert.firing'; readonly data: AlertMessage }
  | { readonly id: string; readonly type: 'alert.updated'; readonly data: AlertMessage }
  | { readonly id: string; readonly type: 'alert.acknowledged'; readonly data: AlertMessage }
  | { readonly id: string; readonly type: 'alert.assigned'; readonly data: AlertMessage }
  | { readonly id: string; readonly type: 'alert.resolved'; readonly data: AlertMessage }
  | { readonly id: string; readonly type: 'token.expiring'; readonly data: TokenExpiring }
  | { readonly id: string; readonly type: 'token.reused'; readonly data: TokenReused }
  | { readonly id: string; readonly type: 'token.revoked'; readonly data: TokenRevoked }
  | { readonly id: string; readonly type: 'user.revoked'; readonly data: UserRevoked }
  | { readonly id: string; readonly type: 'line'; readonly data: Line }
  | { readonly id: string; readonly type: 'line.missed'; readonly data: LinesMissed }
  | { readonly id: string; readonly type: 'resync'; readonly data: Resync };

/** Type of an event. */
export type EventType = QuarterdeckEvent['type'];

/** Every type of event. */
export const EVENT_TYPES = [
  'errlog.new',
  'errlog.repeated',
  'errlog.regressed',
  'errlog.changed',
  'agent.registered',
  'agent.online',
  'agent.offline',
  'agent.changed',
  'agent.removed',
  'agent.outage',
  'change.created',
  'alert.firing',
  'alert.updated',
  'alert.acknowledged',
  'alert.assigned',
  'alert.resolved',
  'token.expiring',
  'token.reused',
  'token.revoked',
  'user.revoked',
  'line',
  'line.missed',
  'resync',
] as const satisfies readonly EventType[];

/** Every noun by its name. */
export interface Nouns {
  Agent: Agent;
  AgentBulk: AgentBulk;
  AgentChange: AgentChange;
  AgentEnrolled: AgentEnrolled;
  AgentEvent: AgentEvent;
  AgentEventKind: AgentEventKind;
  AgentFacts: AgentFacts;
  AgentFilter: AgentFilter;
  AgentLabels: AgentLabels;
  AgentOperationReport: AgentOperationReport;
  AgentReason: AgentReason;
  AgentRegistration: AgentRegistration;
  AgentRemoved: AgentRemoved;
  AgentSettings: AgentSettings;
  AgentShipper: AgentShipper;
  AgentState: AgentState;
  AgentTotals: AgentTotals;
  Alert: Alert;
  AlertAcknowledgement: AlertAcknowledgement;
  AlertAssignment: AlertAssignment;
  AlertCause: AlertCause;
  AlertChannel: AlertChannel;
  AlertCondition: AlertCondition;
  AlertConditionState: AlertConditionState;
  AlertExplanation: AlertExplanation;
  AlertInstance: AlertInstance;
  AlertMessage: AlertMessage;
  AlertMoment: AlertMoment;
  AlertMute: AlertMute;
  AlertPer: AlertPer;
  AlertPreview: AlertPreview;
  AlertRule: AlertRule;
  AlertRuleChange: AlertRuleChange;
  AlertRuleDraft: AlertRuleDraft;
  AlertRuleTrial: AlertRuleTrial;
  AlertState: AlertState;
  AlertTest: AlertTest;
  ApiToken: ApiToken;
  ApiTokenChange: ApiTokenChange;
  ApiTokenDraft: ApiTokenDraft;
  ApiTokenRevocation: ApiTokenRevocation;
  ApiTokenRotation: ApiTokenRotation;
  ApiTokensRevoked: ApiTokensRevoked;
  AskingDevice: AskingDevice;
  AuditEntry: AuditEntry;
  AuditVerdict: AuditVerdict;
  BulkResult: BulkResult;
  Change: Change;
  ChangeDraft: ChangeDraft;
  ChangeEffect: ChangeEffect;
  ChangeEffects: ChangeEffects;
  ChangeReceipt: ChangeReceipt;
  ChangeStrength: ChangeStrength;
  ChangeWindow: ChangeWindow;
  Confirmation: Confirmation;
  Confirmed: Confirmed;
  DeliveryState: DeliveryState;
  DeviceCodes: DeviceCodes;
  DeviceDecision: DeviceDecision;
  DeviceQuery: DeviceQuery;
  DeviceStart: DeviceStart;
  DeviceTokenRequest: DeviceTokenRequest;
  Enrollment: Enrollment;
  EnrollmentChange: EnrollmentChange;
  EnrollmentDraft: EnrollmentDraft;
  EnrollmentState: EnrollmentState;
  ErrlogBulk: ErrlogBulk;
  ErrlogChange: ErrlogChange;
  ErrlogChanges: ErrlogChanges;
  ErrlogEntry: ErrlogEntry;
  ErrlogFacets: ErrlogFacets;
  ErrlogFilter: ErrlogFilter;
  ErrlogHistogram: ErrlogHistogram;
  ErrlogLine: ErrlogLine;
  ErrlogOccurrence: ErrlogOccurrence;
  ErrlogPage: ErrlogPage;
  ErrlogPageMeta: ErrlogPageMeta;
  ErrlogPreview: ErrlogPreview;
  ErrlogReceipt: ErrlogReceipt;
  ErrlogSource: ErrlogSource;
  ErrlogState: ErrlogState;
  ErrorBody: ErrorBody;
  Failure: Failure;
  FoundUser: FoundUser;
  HeartbeatResponse: HeartbeatResponse;
  HostCertificate: HostCertificate;
  HostChange: HostChange;
  HostChangeDiff: HostChangeDiff;
  Identity: Identity;
  IdentityDraft: IdentityDraft;
  KernelRule: KernelRule;
  KernelRuleDraft: KernelRuleDraft;
  LedgerGap: LedgerGap;
  LedgerPage: LedgerPage;
  LedgerRow: LedgerRow;
  Line: Line;
  LineContext: LineContext;
  LineErase: LineErase;
  LineErased: LineErased;
  LineHistogram: LineHistogram;
  LinePage: LinePage;
  LineValues: LineValues;
  LinesMissed: LinesMissed;
  Login: Login;
  LoginResult: LoginResult;
  Me: Me;
  MergedChange: MergedChange;
  MessagePart: MessagePart;
  NewApiToken: NewApiToken;
  NewEnrollment: NewEnrollment;
  NewWebhook: NewWebhook;
  Operation: Operation;
  OperationDraft: OperationDraft;
  OperationKind: OperationKind;
  OperationParams: OperationParams;
  OperationState: OperationState;
  Outage: Outage;
  PasswordChange: PasswordChange;
  PendingOperation: PendingOperation;
  Problem: Problem;
  ProfileSync: ProfileSync;
  RecoveryCodes: RecoveryCodes;
  Resync: Resync;
  Role: Role;
  SecondFactorConfirmation: SecondFactorConfirmation;
  SecondFactorDraft: SecondFactorDraft;
  SecondFactorRemoval: SecondFactorRemoval;
  SecondFactorStart: SecondFactorStart;
  ServerVersion: ServerVersion;
  Session: Session;
  SharedLabel: SharedLabel;
  SignInProviders: SignInProviders;
  SuspectedChange: SuspectedChange;
  TokenExpiring: TokenExpiring;
  TokenKind: TokenKind;
  TokenReused: TokenReused;
  TokenRevoked: TokenRevoked;
  TokenState: TokenState;
  User: User;
  UserChange: UserChange;
  UserDraft: UserDraft;
  UserPolicy: UserPolicy;
  UserRevoked: UserRevoked;
  Webhook: Webhook;
  WebhookChange: WebhookChange;
  WebhookDelivery: WebhookDelivery;
  WebhookDraft: WebhookDraft;
  WebhookKind: WebhookKind;
  WebhookRotation: WebhookRotation;
}
