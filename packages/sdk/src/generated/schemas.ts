// Written by packages/sdk/generate: `pnpm generate`.
import * as z from 'zod/mini';

const ErrlogState = z.enum(['new', 'ongoing', 'regressed', 'muted', 'resolved']);

const ErrlogEntry = z.object({
  id: z.int(),
  level: z.int().check(z.minimum(0), z.maximum(8)),
  count: z.int(),
  src: z.int(),
  log_time: z.int().check(z.minimum(0)),
  log: z.string(),
  first_seen: z.optional(z.int().check(z.minimum(0))),
  state: z.optional(ErrlogState),
  state_since: z.optional(z.int().check(z.minimum(0))),
  until: z.optional(z.string()),
  until_time: z.optional(z.int().check(z.minimum(0))),
  note: z.optional(z.string()),
  app_id: z.optional(z.int()),
  node_type: z.optional(z.int()),
  node_id: z.optional(z.nullable(z.int())),
  source: z.optional(z.string()),
  host: z.optional(z.string()),
  fingerprint: z.optional(z.string()),
  service: z.optional(z.string()),
  sources: z.optional(z.int()),
  count_in_range: z.optional(z.int()),
  log_time_in_range: z.optional(z.int().check(z.minimum(0))),
  log_in_range: z.optional(z.string()),
});

const ErrlogPageMeta = z.object({
  count: z.int().check(z.minimum(0)),
  capped: z.optional(z.literal([true])),
  complete: z.optional(z.boolean()),
  why_empty: z.optional(z.enum(['no_such_source', 'silent', 'filtered_out', 'expired'])),
  silent_since: z.optional(z.int().check(z.minimum(0))),
  next: z.optional(z.nullable(z.string())),
});

const ErrlogPage = z.object({
  data: z.array(ErrlogEntry),
  meta: ErrlogPageMeta,
});

const ErrlogPreview = z.object({
  index: z.int(),
  level: z.int().check(z.minimum(0), z.maximum(8)),
  log: z.string(),
  fingerprint: z.string(),
  pattern: z.string(),
  group: z.nullable(z.int()),
  source: z.string(),
  host: z.string(),
  service: z.string(),
  fields: z.record(z.string(), z.string()),
});

const ErrlogReceipt = z.object({
  accepted: z.int(),
  refused: z.array(z.object({
    index: z.int(),
    message: z.string(),
  })),
  warnings: z.optional(z.array(z.object({
    index: z.int(),
    fields: z.array(z.string()),
    message: z.string(),
  }))),
  warned: z.optional(z.int()),
  preview: z.optional(z.array(ErrlogPreview)),
});

const ErrlogHistogram = z.object({
  start: z.int().check(z.minimum(0)),
  end: z.int().check(z.minimum(0)),
  step: z.int(),
  buckets: z.array(z.object({
    time: z.int().check(z.minimum(0)),
    count: z.int(),
    levels: z.array(z.int()).check(z.length(9)),
  })),
  partial: z.optional(z.literal([true])),
  meta: z.object({
    complete: z.boolean(),
    damaged: z.optional(z.array(z.object({
      from: z.int().check(z.minimum(0)),
      to: z.int().check(z.minimum(0)),
    }))),
    why_empty: z.optional(z.enum(['no_such_source', 'silent', 'filtered_out', 'expired'])),
    silent_since: z.optional(z.int().check(z.minimum(0))),
  }),
});

const ErrlogFacets = z.object({
  levels: z.array(z.object({
    level: z.int().check(z.minimum(0), z.maximum(8)),
    count: z.int(),
  })),
  states: z.array(z.object({
    state: ErrlogState,
    count: z.int(),
  })),
  sources: z.array(z.object({
    src: z.int(),
    name: z.string(),
    node_type: z.int(),
    node_id: z.nullable(z.int()),
    count: z.int(),
  })),
  apps: z.array(z.object({
    app_id: z.int(),
    count: z.int(),
  })),
  services: z.array(z.object({
    service: z.string(),
    count: z.int(),
  })),
  partial: z.optional(z.literal([true])),
  meta: z.object({
    complete: z.boolean(),
    damaged: z.optional(z.array(z.object({
      from: z.int().check(z.minimum(0)),
      to: z.int().check(z.minimum(0)),
    }))),
    why_empty: z.optional(z.enum(['no_such_source', 'silent', 'filtered_out', 'expired'])),
    silent_since: z.optional(z.int().check(z.minimum(0))),
  }),
});

const BulkResult = z.object({
  matched: z.int(),
  done: z.int(),
  failed: z.array(z.object({
    id: z.int(),
    msg: z.string(),
  })),
});

const ErrlogOccurrence = z.object({
  time: z.int().check(z.minimum(0)),
  count: z.int(),
  req_id: z.string(),
  app_id: z.int(),
  log: z.string(),
  fields: z.record(z.string(), z.string()),
});

const SharedLabel = z.object({
  name: z.string(),
  value: z.string(),
  affected: z.object({
    with: z.int(),
    of: z.int(),
  }),
  unaffected: z.object({
    with: z.int(),
    of: z.int(),
  }),
});

const AgentEventKind = z.enum(['registered', 'online', 'offline', 'inactive', 'changed', 'restarted', 'rebooted', 'cloned', 'settings', 'note', 'labels', 'maintenance', 'operation', 'deleted', 'restored', 'change', 'config', 'program', 'package', 'certificate', 'unit', 'clock', 'disk', 'dns', 'time_zone', 'container']);

const ChangeStrength = z.enum(['strong', 'likely', 'weak']);

const MergedChange = z.object({
  kind: AgentEventKind,
  field: z.string(),
  name: z.string(),
  from: z.string(),
  to: z.string(),
});

const SuspectedChange = z.object({
  kind: AgentEventKind,
  field: z.string(),
  name: z.string(),
  from: z.string(),
  to: z.string(),
  affected: z.object({
    with: z.int(),
    of: z.int(),
  }),
  unaffected: z.object({
    with: z.int(),
    of: z.int(),
  }),
  strength: ChangeStrength,
  score: z.number().check(z.minimum(0), z.maximum(1)),
  first: z.int().check(z.minimum(0)),
  last: z.int().check(z.minimum(0)),
  before: z.int(),
  change_id: z.int(),
  url: z.string(),
  has_diff: z.boolean(),
  with: z.array(MergedChange),
  agents: z.array(z.object({
    id: z.int(),
    hostname: z.string(),
    time: z.int().check(z.minimum(0)),
  })),
  explanation: z.string(),
});

const ChangeWindow = z.object({
  kind: z.enum(['first_seen', 'spike']),
  time: z.int().check(z.minimum(0)),
  from: z.int().check(z.minimum(0)),
  count: z.int(),
  usual: z.number(),
  affected: z.int(),
  unaffected: z.int(),
  unknown: z.int(),
  label: z.nullable(SharedLabel),
  summary: z.string(),
  changes: z.array(SuspectedChange),
});

const ErrlogChanges = z.object({
  windows: z.array(ChangeWindow),
  complete: z.boolean(),
});

const ErrlogSource = z.object({
  id: z.int(),
  node_type: z.int(),
  node_id: z.nullable(z.int()),
  name: z.string(),
  address: z.string(),
  created: z.int().check(z.minimum(0)),
  groups: z.int(),
  agent_id: z.int(),
});

const TokenKind = z.enum(['api', 'sentry']);

const TokenState = z.enum(['active', 'expiring', 'expired', 'disabled']);

const ApiToken = z.object({
  id: z.int(),
  name: z.string(),
  expire: z.int().check(z.minimum(0)),
  _created_unix: z.number().check(z.minimum(0)),
  _modified_unix: z.number().check(z.minimum(0)),
  uid: z.optional(z.int()),
  username: z.optional(z.string()),
  kind: z.optional(TokenKind),
  token_tail: z.optional(z.string()),
  state: z.optional(TokenState),
  scopes: z.optional(z.nullable(z.array(z.string()))),
  allowed_cidrs: z.optional(z.array(z.string())),
  last_used: z.optional(z.nullable(z.number().check(z.minimum(0)))),
  last_address: z.optional(z.string()),
  last_client: z.optional(z.string()),
  grace_until: z.optional(z.int().check(z.minimum(0))),
});

const ApiTokensRevoked = z.object({
  revoked: z.int(),
});

const NewApiToken = z.object({
  id: z.int(),
  name: z.string(),
  expire: z.int().check(z.minimum(0)),
  _created_unix: z.number().check(z.minimum(0)),
  _modified_unix: z.number().check(z.minimum(0)),
  uid: z.int(),
  username: z.optional(z.string()),
  kind: z.optional(TokenKind),
  token_tail: z.optional(z.string()),
  state: z.optional(TokenState),
  scopes: z.optional(z.nullable(z.array(z.string()))),
  allowed_cidrs: z.optional(z.array(z.string())),
  last_used: z.optional(z.nullable(z.number().check(z.minimum(0)))),
  last_address: z.optional(z.string()),
  last_client: z.optional(z.string()),
  grace_until: z.optional(z.int().check(z.minimum(0))),
  token: z.string(),
});

const EnrollmentState = z.enum(['active', 'expired', 'used_up']);

const Enrollment = z.object({
  id: z.int(),
  name: z.string(),
  expire: z.int().check(z.minimum(0)),
  uses: z.int(),
  used: z.int(),
  labels: z.record(z.string(), z.string()),
  state: EnrollmentState,
  token_tail: z.string(),
  created: z.number().check(z.minimum(0)),
  created_by: z.string(),
  last_used: z.nullable(z.number().check(z.minimum(0))),
});

const NewEnrollment = z.object({
  id: z.int(),
  name: z.string(),
  expire: z.int().check(z.minimum(0)),
  uses: z.int(),
  used: z.int(),
  labels: z.record(z.string(), z.string()),
  state: EnrollmentState,
  token_tail: z.string(),
  created: z.number().check(z.minimum(0)),
  created_by: z.string(),
  last_used: z.nullable(z.number().check(z.minimum(0))),
  token: z.string(),
});

const OperationKind = z.enum(['collect_facts', 'upgrade', 'restart_tailer']);

const OperationParams = z.object({
  version: z.optional(z.string().check(z.maxLength(100), z.regex(/^[A-Za-z0-9][A-Za-z0-9.+~:-]*$/))),
});

const OperationState = z.enum(['queued', 'delivered', 'running', 'succeeded', 'failed', 'expired', 'cancelled']);

const Operation = z.object({
  id: z.int(),
  agent_id: z.int(),
  hostname: z.string(),
  kind: OperationKind,
  params: OperationParams,
  state: OperationState,
  progress: z.int().check(z.minimum(0), z.maximum(100)),
  detail: z.string(),
  created: z.number().check(z.minimum(0)),
  modified: z.number().check(z.minimum(0)),
  deadline: z.int().check(z.minimum(0)),
  created_by: z.string(),
});

const KernelRule = z.object({
  id: z.int(),
  pattern: z.string(),
  reason: z.string(),
  agents: z.int(),
  created: z.number().check(z.minimum(0)),
  created_by: z.string(),
});

const Outage = z.object({
  id: z.int(),
  started: z.int().check(z.minimum(0)),
  ended: z.nullable(z.int().check(z.minimum(0))),
  lost: z.int(),
  returned: z.int(),
  sample: z.array(z.object({
    id: z.int(),
    hostname: z.string(),
  })),
});

const Change = z.object({
  id: z.int(),
  time: z.number().check(z.minimum(0)),
  kind: z.string(),
  name: z.string(),
  before: z.string(),
  after: z.string(),
  hosts: z.array(z.string()),
  host_count: z.int(),
  unknown_hosts: z.array(z.string()),
  labels: z.record(z.string(), z.string()),
  agents: z.int(),
  service: z.string(),
  url: z.string(),
  author: z.string(),
  created: z.number().check(z.minimum(0)),
  created_by: z.string(),
});

const ChangeReceipt = z.object({
  id: z.int(),
  unknown_hosts: z.array(z.string()),
});

const ChangeEffect = z.object({
  id: z.int(),
  level: z.int(),
  log: z.string(),
  service: z.string(),
  before: z.int(),
  after: z.int(),
  others_before: z.int(),
  others_after: z.int(),
  verdict: z.enum(['new', 'more', 'less']),
});

const ChangeEffects = z.object({
  verdict: z.enum(['worse', 'no_difference', 'too_early']),
  time: z.number().check(z.minimum(0)),
  from: z.int().check(z.minimum(0)),
  until: z.int().check(z.minimum(0)),
  hosts: z.int(),
  others: z.int(),
  complete: z.boolean(),
  errors: z.array(ChangeEffect),
});

const AgentState = z.enum(['pending', 'online', 'offline', 'inactive', 'deleted']);

const AgentReason = z.enum(['registered', 'server_restarted', 'reporting', 'lost', 'shut_down', 'never_reported', 'deleted']);

const AgentShipper = z.object({
  files: z.int().check(z.minimum(0)),
  files_refused: z.optional(z.int().check(z.minimum(0))),
  lines: z.int().check(z.minimum(0)),
  bytes_waiting: z.int().check(z.minimum(0)),
  lines_dropped: z.int().check(z.minimum(0)),
  lines_refused: z.int().check(z.minimum(0)),
  unclear_files: z.optional(z.array(z.object({
    path: z.string().check(z.maxLength(500)),
    lines: z.int().check(z.minimum(0)),
    lines_without_time: z.int().check(z.minimum(0)),
    lines_without_level: z.int().check(z.minimum(0)),
  })).check(z.maxLength(20))),
});

const Agent = z.object({
  id: z.int(),
  node_id: z.string(),
  hostname: z.string(),
  ip: z.string(),
  env: z.string(),
  online: z.boolean(),
  is_deleted: z.boolean(),
  bad_kernel: z.boolean(),
  catch_transient_event: z.boolean(),
  autorun_tools: z.boolean(),
  note: z.string(),
  system_name: z.string(),
  created: z.number().check(z.minimum(0)),
  modified: z.number().check(z.minimum(0)),
  last_reported: z.int().check(z.minimum(0)),
  progress: z.object({
    current: z.int(),
    detail: z.string(),
  }),
  package: z.object({
    version: z.int().check(z.minimum(0)),
    timestamp: z.int().check(z.minimum(0)),
  }),
  dependency: z.object({
    stap_version: z.string(),
    odb_version: z.string(),
  }),
  system_version: z.object({
    kernel_package: z.string(),
    kernel_bid: z.string(),
    kernel_distro: z.string(),
    libc: z.string(),
    kernel: z.string(),
  }),
  interval: z.optional(z.int()),
  state: z.optional(AgentState),
  reason: z.optional(AgentReason),
  state_since: z.optional(z.int().check(z.minimum(0))),
  maintenance: z.optional(z.boolean()),
  labels: z.optional(z.record(z.string(), z.string())),
  bad_kernel_reason: z.optional(z.string()),
  cloned: z.optional(z.boolean()),
  boot_time: z.optional(z.int().check(z.minimum(0))),
  started: z.optional(z.int().check(z.minimum(0))),
  shipper: z.optional(z.nullable(AgentShipper)),
  enrollment_id: z.optional(z.int()),
  unknown: z.optional(z.array(z.string())),
});

const AgentTotals = z.object({
  count: z.int(),
  online: z.int(),
  bad_kernel: z.int(),
  maintenance: z.int(),
  cloned: z.int(),
  states: z.array(z.object({
    state: AgentState,
    count: z.int(),
  })),
  envs: z.array(z.object({
    value: z.string(),
    count: z.int(),
  })),
  kernels: z.array(z.object({
    value: z.string(),
    count: z.int(),
  })),
  packages: z.array(z.object({
    value: z.string(),
    count: z.int(),
  })),
  systems: z.array(z.object({
    value: z.string(),
    count: z.int(),
  })),
  labels: z.array(z.object({
    value: z.string(),
    count: z.int(),
  })),
});

const AgentEnrolled = z.object({
  id: z.int(),
  secret: z.string(),
  interval: z.int(),
});

const AgentSettings = z.object({
  catch_transient_event: z.boolean(),
  autorun_tools: z.boolean(),
});

const PendingOperation = z.object({
  id: z.int(),
  kind: OperationKind,
  params: OperationParams,
  deadline: z.int().check(z.minimum(0)),
  seconds: z.int(),
});

const HeartbeatResponse = z.object({
  interval: z.int(),
  settings: z.optional(AgentSettings),
  operations: z.optional(z.array(PendingOperation)),
  changes_stored: z.optional(z.int()),
});

const AgentEvent = z.object({
  id: z.int(),
  time: z.number().check(z.minimum(0)),
  kind: AgentEventKind,
  field: z.string(),
  name: z.string(),
  from: z.string(),
  to: z.string(),
  actor: z.string(),
  change_id: z.int(),
  has_diff: z.boolean(),
});

const HostChangeDiff = z.object({
  diff: z.string(),
});

const DeviceCodes = z.object({
  device_code: z.string(),
  user_code: z.string(),
  verification_uri: z.string(),
  interval: z.int(),
  expires_in: z.int(),
});

const AskingDevice = z.object({
  name: z.string(),
  address: z.string(),
  client: z.string(),
  created: z.number().check(z.minimum(0)),
  expire: z.int().check(z.minimum(0)),
});

const LoginResult = z.object({
  _created_unix: z.string().check(z.regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}$/)),
  _modified_unix: z.string().check(z.regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}$/)),
  username: z.string(),
  'edge-token': z.optional(z.string()),
  token: z.optional(z.string()),
  expire: z.int().check(z.minimum(0)),
  id: z.int(),
  role: z.string(),
  login_2fa: z.object({
    enabled: z.optional(z.boolean()),
    method: z.optional(z.string()),
  }),
});

const SignInProviders = z.object({
  password_login: z.enum(['all', 'masters']),
  providers: z.array(z.object({
    name: z.string(),
    path: z.string(),
  })),
});

const Me = z.object({
  id: z.int(),
  username: z.string(),
  role: z.string(),
  permissions: z.array(z.enum(['api_token:read', 'api_token:write', 'api_token:manage', 'errlog:read', 'errlog:write', 'errlog:manage', 'errlog:erase', 'agent:read', 'agent:write', 'agent:enroll', 'change:write', 'alert:read', 'alert:write', 'webhook:manage', 'enrollment:manage', 'user:read', 'user:write', 'audit:read', 'metrics:read'])),
  second_factor: z.boolean(),
  must_set_up_second_factor: z.boolean(),
  credential: z.object({
    kind: z.enum(['session', 'api_token']),
    id: z.int(),
    expire: z.int().check(z.minimum(0)),
  }),
  provider: z.optional(z.string()),
});

const Confirmed = z.object({
  until: z.int().check(z.minimum(0)),
});

const SecondFactorDraft = z.object({
  secret: z.string(),
  uri: z.string(),
});

const RecoveryCodes = z.object({
  recovery_codes: z.array(z.string()),
});

const Session = z.object({
  id: z.int(),
  current: z.boolean(),
  address: z.string(),
  client: z.string(),
  created: z.number().check(z.minimum(0)),
  last_used: z.number().check(z.minimum(0)),
  expire: z.int().check(z.minimum(0)),
  idle_until: z.int().check(z.minimum(0)),
});

const User = z.object({
  id: z.int(),
  username: z.string(),
  role: z.string(),
  disabled: z.boolean(),
  second_factor: z.boolean(),
  _created_unix: z.number().check(z.minimum(0)),
  _modified_unix: z.number().check(z.minimum(0)),
});

const FoundUser = z.object({
  id: z.optional(z.int()),
  username: z.optional(z.string()),
  role: z.optional(z.string()),
  disabled: z.optional(z.boolean()),
  second_factor: z.optional(z.boolean()),
  _created_unix: z.optional(z.number().check(z.minimum(0))),
  _modified_unix: z.optional(z.number().check(z.minimum(0))),
});

const Role = z.enum(['master', 'operator', 'viewer']);

const UserPolicy = z.object({
  require_2fa: z.array(Role),
});

const Identity = z.object({
  id: z.int(),
  issuer: z.string(),
  subject: z.string(),
  created: z.number().check(z.minimum(0)),
  last_used: z.nullable(z.number().check(z.minimum(0))),
});

const AuditEntry = z.object({
  id: z.int(),
  time: z.number().check(z.minimum(0)),
  action: z.string(),
  actor: z.object({
    kind: z.string(),
    id: z.int(),
    name: z.string(),
    credential: z.string(),
    address: z.string(),
  }),
  target: z.object({
    kind: z.string(),
    id: z.int(),
  }),
  request_id: z.string(),
  detail: z.record(z.string(), z.unknown()),
  previous: z.string(),
  hash: z.string(),
});

const AuditVerdict = z.object({
  intact: z.boolean(),
  checked: z.int(),
  broken_at: z.nullable(z.int()),
});

const ServerVersion = z.object({
  version: z.int(),
  product_type: z.string(),
});

const ProfileSync = z.object({
  ngx: z.boolean(),
  lua_module: z.boolean(),
});

const Line = z.object({
  id: z.string(),
  time: z.number().check(z.minimum(0)),
  level: z.int().check(z.minimum(0), z.maximum(8)),
  log: z.string(),
  fields: z.record(z.string(), z.string()),
  group: z.int(),
  src: z.int(),
  source: z.string(),
  host: z.string(),
  service: z.string(),
  app_id: z.int(),
  req_id: z.string(),
  count: z.int().check(z.minimum(1)),
});

const LinePage = z.object({
  data: z.array(Line),
  meta: z.object({
    before: z.nullable(z.string()),
    after: z.nullable(z.string()),
    scanned: z.int(),
    complete: z.boolean(),
    damaged: z.optional(z.array(z.object({
      from: z.int().check(z.minimum(0)),
      to: z.int().check(z.minimum(0)),
    }))),
    why_empty: z.optional(z.enum(['no_such_source', 'silent', 'filtered_out', 'expired'])),
    silent_since: z.optional(z.int().check(z.minimum(0))),
  }),
});

const LineValues = z.object({
  values: z.array(z.object({
    value: z.string(),
    count: z.int(),
  })),
  other: z.int(),
  distinct: z.int(),
  meta: z.object({
    complete: z.boolean(),
    damaged: z.optional(z.array(z.object({
      from: z.int().check(z.minimum(0)),
      to: z.int().check(z.minimum(0)),
    }))),
    why_empty: z.optional(z.enum(['no_such_source', 'silent', 'filtered_out', 'expired'])),
    silent_since: z.optional(z.int().check(z.minimum(0))),
  }),
});

const LineHistogram = z.object({
  start: z.int().check(z.minimum(0)),
  end: z.int().check(z.minimum(0)),
  step: z.int().check(z.minimum(1)),
  buckets: z.array(z.object({
    time: z.int().check(z.minimum(0)),
    count: z.int(),
    levels: z.array(z.int()).check(z.length(9)),
  })),
  meta: z.object({
    complete: z.boolean(),
    damaged: z.optional(z.array(z.object({
      from: z.int().check(z.minimum(0)),
      to: z.int().check(z.minimum(0)),
    }))),
    why_empty: z.optional(z.enum(['no_such_source', 'silent', 'filtered_out', 'expired'])),
    silent_since: z.optional(z.int().check(z.minimum(0))),
  }),
});

const LineErased = z.object({
  matched: z.int(),
  erased: z.int(),
  groups: z.int(),
  alerts: z.int(),
  messages: z.int(),
  sent: z.int(),
  backups: z.array(z.string()),
  damaged: z.optional(z.array(z.object({
    from: z.int().check(z.minimum(0)),
    to: z.int().check(z.minimum(0)),
  }))),
});

const LineContext = z.object({
  data: z.array(Line),
  meta: z.optional(z.object({
    complete: z.boolean(),
    damaged: z.optional(z.array(z.object({
      from: z.int().check(z.minimum(0)),
      to: z.int().check(z.minimum(0)),
    }))),
  })),
});

const LedgerRow = z.object({
  src: z.int(),
  minute: z.int().check(z.minimum(0)),
  read: z.nullable(z.int()),
  sent: z.nullable(z.int()),
  received: z.int(),
  stored: z.int(),
  grouped: z.int(),
  lines_without_time: z.optional(z.int()),
  lines_without_level: z.optional(z.int()),
  dropped: z.partialRecord(z.union([z.enum(['rotation', 'spool_full', 'skipped', 'missing', 'udp', 'quota', 'refused', 'flood', 'cut', 'damaged']), z.templateLiteral(['sentry_', z.string()])]), z.int().check(z.minimum(0))),
});

const LedgerGap = z.object({
  src: z.int(),
  stage: z.enum(['rotation', 'spool_full', 'skipped', 'missing', 'udp', 'quota', 'refused', 'damaged', 'down']),
  start_time: z.int().check(z.minimum(0)),
  end_time: z.int().check(z.minimum(0)),
  lines: z.nullable(z.int()),
});

const LedgerPage = z.object({
  data: z.array(LedgerRow),
  meta: z.object({
    complete: z.boolean(),
    gaps: z.array(LedgerGap),
    more: z.optional(z.literal([true])),
  }),
});

const WebhookKind = z.enum(['standard', 'slack', 'teams', 'alertmanager', 'email', 'ntfy', 'telegram', 'discord', 'pagerduty', 'pushover', 'opsgenie']);

const MessagePart = z.enum(['counts', 'hosts', 'cause', 'lines', 'facts', 'links']);

const Webhook = z.object({
  id: z.int(),
  name: z.string(),
  kind: WebhookKind,
  url: z.nullable(z.string()),
  to: z.array(z.string()),
  types: z.array(z.string()),
  filter: z.string(),
  enabled: z.boolean(),
  prefix: z.string(),
  parts: z.array(MessagePart),
  chat: z.nullable(z.string()),
  secrets: z.array(z.enum(['token', 'chat', 'key', 'user', 'callback_secret'])),
  withheld: z.array(z.string()),
  waiting: z.int(),
  dead: z.int(),
  failing_since: z.nullable(z.number().check(z.minimum(0))),
  gone_since: z.nullable(z.number().check(z.minimum(0))),
  rules: z.int(),
  created: z.number().check(z.minimum(0)),
  created_by: z.string(),
  modified: z.number().check(z.minimum(0)),
});

const NewWebhook = z.object({
  id: z.int(),
  name: z.string(),
  kind: WebhookKind,
  url: z.nullable(z.string()),
  to: z.array(z.string()),
  types: z.array(z.string()),
  filter: z.string(),
  enabled: z.boolean(),
  prefix: z.string(),
  parts: z.array(MessagePart),
  chat: z.nullable(z.string()),
  secrets: z.array(z.enum(['token', 'chat', 'key', 'user', 'callback_secret'])),
  withheld: z.array(z.string()),
  waiting: z.int(),
  dead: z.int(),
  failing_since: z.nullable(z.number().check(z.minimum(0))),
  gone_since: z.nullable(z.number().check(z.minimum(0))),
  rules: z.int(),
  created: z.number().check(z.minimum(0)),
  created_by: z.string(),
  modified: z.number().check(z.minimum(0)),
  secret: z.nullable(z.string()),
});

const DeliveryState = z.enum(['waiting', 'delivered', 'dead']);

const WebhookDelivery = z.object({
  id: z.int(),
  message_id: z.string(),
  type: z.string(),
  state: DeliveryState,
  attempts: z.int(),
  created: z.number().check(z.minimum(0)),
  next_attempt: z.nullable(z.number().check(z.minimum(0))),
  last_attempt: z.nullable(z.number().check(z.minimum(0))),
  status: z.nullable(z.int()),
  error: z.string(),
  answer: z.string(),
  body: z.record(z.string(), z.unknown()),
  needs: z.nullable(z.enum(['api_token:read', 'api_token:write', 'api_token:manage', 'errlog:read', 'errlog:write', 'errlog:manage', 'errlog:erase', 'agent:read', 'agent:write', 'agent:enroll', 'change:write', 'alert:read', 'alert:write', 'webhook:manage', 'enrollment:manage', 'user:read', 'user:write', 'audit:read', 'metrics:read'])),
});

const AlertState = z.enum(['pending', 'firing', 'resolved']);

const AlertCause = z.object({
  sentence: z.nullable(z.string()),
  strength: z.nullable(ChangeStrength),
  change: z.nullable(z.object({
    kind: AgentEventKind,
    field: z.string(),
    name: z.string(),
    from: z.string(),
    to: z.string(),
    change_id: z.int(),
    time: z.int().check(z.minimum(0)),
    before: z.int(),
  })),
  link: z.nullable(z.string()),
  why: z.nullable(z.string()),
  settled: z.boolean(),
  next_look: z.nullable(z.number().check(z.minimum(0))),
});

const Alert = z.object({
  id: z.int(),
  rule_id: z.int(),
  rule: z.string(),
  kind: z.enum(['errlog.new', 'errlog.regressed', 'errlog.count', 'errlog.spike', 'silence', 'agent.offline', 'agent.back', 'agent.outage', 'operation.failed', 'certificate.expiring', 'token.expiring', 'token.reused', 'signin.failed', 'audit.broken', 'server.health']),
  key: z.string(),
  groups: z.array(z.int()),
  state: AlertState,
  title: z.string(),
  detail: z.record(z.string(), z.unknown()),
  cause: z.nullable(AlertCause),
  parent_id: z.nullable(z.int()),
  under: z.int(),
  messages: z.int(),
  acknowledged: z.nullable(z.object({
    time: z.number().check(z.minimum(0)),
    by: z.string(),
    note: z.string(),
  })),
  assigned: z.nullable(z.object({
    id: z.int(),
    username: z.string(),
  })),
  muted_until: z.nullable(z.number().check(z.minimum(0))),
  since: z.number().check(z.minimum(0)),
  fired: z.nullable(z.number().check(z.minimum(0))),
  resolved: z.nullable(z.number().check(z.minimum(0))),
});

const AlertInstance = z.object({
  id: z.int(),
  rule_id: z.int(),
  rule: z.string(),
  kind: z.enum(['errlog.new', 'errlog.regressed', 'errlog.count', 'errlog.spike', 'silence', 'agent.offline', 'agent.back', 'agent.outage', 'operation.failed', 'certificate.expiring', 'token.expiring', 'token.reused', 'signin.failed', 'audit.broken', 'server.health']),
  key: z.string(),
  groups: z.array(z.int()),
  state: AlertState,
  title: z.string(),
  detail: z.record(z.string(), z.unknown()),
  cause: z.nullable(AlertCause),
  parent_id: z.nullable(z.int()),
  under: z.int(),
  messages: z.int(),
  acknowledged: z.nullable(z.object({
    time: z.number().check(z.minimum(0)),
    by: z.string(),
    note: z.string(),
  })),
  assigned: z.nullable(z.object({
    id: z.int(),
    username: z.string(),
  })),
  muted_until: z.nullable(z.number().check(z.minimum(0))),
  since: z.number().check(z.minimum(0)),
  fired: z.nullable(z.number().check(z.minimum(0))),
  resolved: z.nullable(z.number().check(z.minimum(0))),
  what: z.nullable(z.object({
    level: z.int(),
    service: z.string(),
    source: z.string(),
    text: z.string(),
  })),
  counts: z.nullable(z.object({
    count: z.int(),
    from: z.number().check(z.minimum(0)),
    per_minute: z.number(),
    usual: z.number(),
  })),
  hosts: z.nullable(z.object({
    failing: z.int(),
    of: z.nullable(z.int()),
    names: z.array(z.string()),
  })),
  lines: z.array(Line),
  incomplete: z.array(z.string()),
  also: z.array(z.string()),
  links: z.object({
    alert: z.nullable(z.string()),
    error: z.nullable(z.string()),
    change: z.nullable(z.string()),
    runbook: z.nullable(z.string()),
    issue: z.nullable(z.string()),
  }),
  until: z.nullable(z.number().check(z.minimum(0))),
  meta: z.object({
    complete: z.boolean(),
  }),
});

const AlertChannel = z.object({
  id: z.int(),
  name: z.string(),
  kind: WebhookKind,
  enabled: z.boolean(),
});

const AlertPreview = z.object({
  from: z.number().check(z.minimum(0)),
  to: z.number().check(z.minimum(0)),
  fired: z.int(),
  causes: z.int(),
  examples: z.array(z.object({
    time: z.number().check(z.minimum(0)),
    key: z.string(),
    title: z.string(),
  })),
  complete: z.boolean(),
  why_incomplete: z.nullable(z.string()),
});

const AlertPer = z.enum(['group', 'source', 'service']);

const AlertCondition = z.object({
  kind: z.enum(['errlog.new', 'errlog.regressed', 'errlog.count', 'errlog.spike', 'silence', 'agent.offline', 'agent.back', 'agent.outage', 'operation.failed', 'certificate.expiring', 'token.expiring', 'token.reused', 'signin.failed', 'audit.broken', 'server.health']),
  count: z.optional(z.int().check(z.minimum(0), z.maximum(1000000000))),
  within: z.optional(z.int().check(z.minimum(1))),
  per: z.optional(AlertPer),
});

const AlertRule = z.object({
  id: z.int(),
  name: z.string(),
  enabled: z.boolean(),
  when: AlertCondition,
  filter: z.string(),
  for: z.int(),
  cooldown: z.int(),
  repeat: z.int(),
  channels: z.array(z.int()),
  runbook: z.string(),
  issue: z.string(),
  firing: z.int(),
  last_fired: z.nullable(z.number().check(z.minimum(0))),
  stopped: z.nullable(z.object({
    since: z.number().check(z.minimum(0)),
    why: z.string(),
  })),
  created: z.number().check(z.minimum(0)),
  created_by: z.string(),
  modified: z.number().check(z.minimum(0)),
});

const AlertConditionState = z.object({
  name: z.enum(['enabled', 'author', 'matching', 'count', 'usual', 'silence', 'habit', 'report', 'silent_agents', 'days', 'attempts', 'causes', 'for', 'cooldown', 'mute', 'maintenance', 'outage', 'acknowledged', 'repeat']),
  value: z.nullable(z.number()),
  limit: z.nullable(z.number()),
  met: z.nullable(z.boolean()),
  text: z.string(),
});

const AlertExplanation = z.object({
  at: z.number().check(z.minimum(0)),
  fired: z.boolean(),
  verdict: z.string(),
  conditions: z.array(AlertConditionState),
  alerts: z.array(Alert),
  complete: z.boolean(),
  why_incomplete: z.nullable(z.string()),
});

const AlertTest = z.object({
  channels: z.array(z.int()),
  deliveries: z.array(z.object({
    id: z.int(),
    channel: z.int(),
  })),
});

const AgentRemoved = z.object({
  id: z.int(),
});

const AlertMessage = z.object({
  id: z.int(),
  rule_id: z.int(),
  rule: z.string(),
  kind: z.enum(['errlog.new', 'errlog.regressed', 'errlog.count', 'errlog.spike', 'silence', 'agent.offline', 'agent.back', 'agent.outage', 'operation.failed', 'certificate.expiring', 'token.expiring', 'token.reused', 'signin.failed', 'audit.broken', 'server.health']),
  key: z.string(),
  groups: z.array(z.int()),
  state: AlertState,
  title: z.string(),
  detail: z.record(z.string(), z.unknown()),
  cause: z.nullable(AlertCause),
  parent_id: z.nullable(z.int()),
  under: z.int(),
  messages: z.int(),
  acknowledged: z.nullable(z.object({
    time: z.number().check(z.minimum(0)),
    by: z.string(),
    note: z.string(),
  })),
  assigned: z.nullable(z.object({
    id: z.int(),
    username: z.string(),
  })),
  muted_until: z.nullable(z.number().check(z.minimum(0))),
  since: z.number().check(z.minimum(0)),
  fired: z.nullable(z.number().check(z.minimum(0))),
  resolved: z.nullable(z.number().check(z.minimum(0))),
  what: z.nullable(z.object({
    level: z.int(),
    service: z.string(),
    source: z.string(),
    text: z.string(),
  })),
  counts: z.nullable(z.object({
    count: z.int(),
    from: z.number().check(z.minimum(0)),
    per_minute: z.number(),
    usual: z.number(),
  })),
  hosts: z.nullable(z.object({
    failing: z.int(),
    of: z.nullable(z.int()),
    names: z.array(z.string()),
  })),
  lines: z.array(Line),
  incomplete: z.array(z.string()),
  also: z.array(z.string()),
  links: z.object({
    alert: z.nullable(z.string()),
    error: z.nullable(z.string()),
    change: z.nullable(z.string()),
    runbook: z.nullable(z.string()),
    issue: z.nullable(z.string()),
  }),
});

const TokenExpiring = z.object({
  id: z.int(),
  name: z.string(),
  uid: z.int(),
  expire: z.int(),
  days: z.int(),
});

const TokenReused = z.object({
  id: z.int(),
  name: z.string(),
  uid: z.int(),
  address: z.string(),
});

const TokenRevoked = z.object({
  id: z.int(),
  uid: z.int(),
});

const UserRevoked = z.object({
  id: z.int(),
});

const LinesMissed = z.object({
  count: z.int().check(z.minimum(1)),
  exact: z.boolean(),
});

const Resync = z.object({
  reason: z.string(),
  of: z.enum(['errlog', 'agent', 'all']),
});

/** Data of the answer of each endpoint that has any. */
export const DATA = {
  errlog: {
    list: ErrlogPage,
    append: ErrlogReceipt,
    histogram: ErrlogHistogram,
    facets: ErrlogFacets,
    bulk: BulkResult,
    get: ErrlogEntry,
    update: ErrlogEntry,
    occurrences: z.object({
      data: z.array(ErrlogOccurrence),
      meta: z.object({
        count: z.int().check(z.minimum(0)),
      }),
    }),
    changes: ErrlogChanges,
    sources: z.object({
      data: z.array(ErrlogSource),
      meta: z.object({
        count: z.int().check(z.minimum(0)),
      }),
    }),
  },
  apiToken: {
    list: z.object({
      data: z.array(ApiToken),
      meta: z.object({
        count: z.int().check(z.minimum(0)),
      }),
    }),
    self: ApiToken,
    revoke: ApiTokensRevoked,
    get: ApiToken,
    create: NewApiToken,
    rotate: NewApiToken,
  },
  enrollment: {
    list: z.object({
      data: z.array(Enrollment),
      meta: z.object({
        count: z.int().check(z.minimum(0)),
      }),
    }),
    create: NewEnrollment,
    get: Enrollment,
    update: Enrollment,
  },
  agentOperation: {
    list: z.object({
      data: z.array(Operation),
      meta: z.object({
        count: z.int().check(z.minimum(0)),
      }),
    }),
    create: Operation,
  },
  kernelRule: {
    list: z.object({
      data: z.array(KernelRule),
      meta: z.object({
        count: z.int().check(z.minimum(0)),
      }),
    }),
    create: KernelRule,
  },
  outage: {
    list: z.object({
      data: z.array(Outage),
      meta: z.object({
        count: z.int().check(z.minimum(0)),
      }),
    }),
  },
  change: {
    list: z.object({
      data: z.array(Change),
      meta: z.object({
        count: z.int().check(z.minimum(0)),
      }),
    }),
    create: ChangeReceipt,
    get: Change,
    effects: ChangeEffects,
  },
  agent: {
    list: z.array(Agent),
    totals: AgentTotals,
    bulk: BulkResult,
    register: AgentEnrolled,
    heartbeat: HeartbeatResponse,
    get: Agent,
    update: Agent,
    restore: Agent,
    events: z.object({
      data: z.array(AgentEvent),
      meta: z.object({
        count: z.int().check(z.minimum(0)),
      }),
    }),
    diff: HostChangeDiff,
  },
  deviceLogin: {
    start: DeviceCodes,
    find: AskingDevice,
    token: LoginResult,
  },
  user: {
    login: LoginResult,
    providers: SignInProviders,
    me: Me,
    confirm: Confirmed,
    beginSecondFactor: SecondFactorDraft,
    confirmSecondFactor: RecoveryCodes,
    sessions: z.object({
      data: z.array(Session),
      meta: z.object({
        count: z.int().check(z.minimum(0)),
      }),
    }),
    list: z.object({
      data: z.array(User),
      meta: z.object({
        count: z.int().check(z.minimum(0)),
      }),
    }),
    search: FoundUser,
    policy: UserPolicy,
    create: User,
    get: User,
  },
  identity: {
    list: z.object({
      data: z.array(Identity),
      meta: z.object({
        count: z.int().check(z.minimum(0)),
      }),
    }),
    create: Identity,
  },
  userGroup: {
    list: z.array(z.never()),
  },
  audit: {
    list: z.object({
      data: z.array(AuditEntry),
      meta: z.object({
        count: z.int().check(z.minimum(0)),
      }),
    }),
    verify: AuditVerdict,
  },
  system: {
    version: ServerVersion,
    profileSync: ProfileSync,
  },
  line: {
    list: LinePage,
    values: LineValues,
    histogram: LineHistogram,
    erase: LineErased,
    get: Line,
    context: LineContext,
  },
  ledger: {
    list: LedgerPage,
  },
  webhook: {
    list: z.object({
      data: z.array(Webhook),
      meta: z.object({
        count: z.int().check(z.minimum(0)),
      }),
    }),
    get: Webhook,
    create: NewWebhook,
    update: Webhook,
    rotate: NewWebhook,
    test: WebhookDelivery,
    deliveries: z.object({
      data: z.array(WebhookDelivery),
      meta: z.object({
        count: z.int().check(z.minimum(0)),
      }),
    }),
    delivery: WebhookDelivery,
    redeliver: WebhookDelivery,
  },
  alert: {
    instances: z.object({
      data: z.array(Alert),
      meta: z.object({
        count: z.int().check(z.minimum(0)),
      }),
    }),
    instance: AlertInstance,
    acknowledge: Alert,
    assign: Alert,
    mute: Alert,
    channels: z.object({
      data: z.array(AlertChannel),
      meta: z.object({
        count: z.int().check(z.minimum(0)),
      }),
    }),
    preview: AlertPreview,
    list: z.object({
      data: z.array(AlertRule),
      meta: z.object({
        count: z.int().check(z.minimum(0)),
      }),
    }),
    create: AlertRule,
    get: AlertRule,
    update: AlertRule,
    explain: AlertExplanation,
    test: AlertTest,
  },
};

/** Data of each type of event. */
export const EVENTS = {
  'errlog.new': ErrlogEntry,
  'errlog.repeated': ErrlogEntry,
  'errlog.regressed': ErrlogEntry,
  'errlog.changed': ErrlogEntry,
  'agent.registered': Agent,
  'agent.online': Agent,
  'agent.offline': Agent,
  'agent.changed': Agent,
  'agent.removed': AgentRemoved,
  'agent.outage': Outage,
  'change.created': Change,
  'alert.firing': AlertMessage,
  'alert.updated': AlertMessage,
  'alert.acknowledged': AlertMessage,
  'alert.assigned': AlertMessage,
  'alert.resolved': AlertMessage,
  'token.expiring': TokenExpiring,
  'token.reused': TokenReused,
  'token.revoked': TokenRevoked,
  'user.revoked': UserRevoked,
  line: Line,
  'line.missed': LinesMissed,
  resync: Resync,
};

/** Rows of the exports. */
export const ROWS = { errlog: ErrlogEntry, line: Line };
