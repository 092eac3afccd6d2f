// Every place of the database that holds text or bytes, and what an erasure does about it. A test compares the list
// with the schema: a new column needs a line here.

/** Step of an erasure that clears a column: see `erase.ts` of the store, and `erased-copies.ts`. */
type Step = 'lines' | 'groups' | 'search' | 'copies';

/** Table -> column -> step. */
export const HOLDS_LINES: Readonly<Record<string, Readonly<Record<string, Step>>>> = {
  errlog_segment: { groups: 'lines', filter: 'lines', numbers: 'lines', texts: 'lines' },
  errlog: { log: 'groups' },
  errlog_search: { text: 'search' },
  errlog_alias: { sample: 'groups' },
  errlog_history: { log: 'groups' },
  event: { data: 'copies' },
  alert: { title: 'copies', detail: 'copies' },
  // An error may quote the answer of a receiver, and that the message.
  webhook_delivery: { body: 'copies', error: 'copies' },
};

/** Tables of SQLite that an erasure covers as well: filters of segments, and the search index with pieces of texts. */
export const HOLDS_LINES_ON_SQLITE: Readonly<Record<string, readonly string[]>> = {
  errlog_segment_filter: ['pieces'],
  errlog_search_data: ['block'],
  errlog_search_docsize: ['sz'],
  errlog_search_idx: ['segid', 'term', 'pgno'],
  errlog_search_config: ['k', 'v'],
  errlog_search_trigram: ['term', 'doc', 'col', 'offset'],
  // The columns of a full-text table for commands and ranks.
  errlog_search: ['errlog_search', 'rank'],
};

interface Other {
  readonly columns: readonly string[];
  readonly why: string;
}

/** Table -> columns that hold no text of a line. */
export const HOLDS_NO_LINES: Readonly<Record<string, Other>> = {
  _prisma_migrations: { columns: ['id', 'checksum', 'migration_name', 'logs'], why: 'names of migrations' },
  agent: {
    columns: [
      ...['node_id', 'hostname', 'ip', 'env', 'note', 'system_name', 'progress_detail', 'stap_version', 'odb_version'],
      ...['kernel_package', 'kernel_bid', 'kernel_distro', 'libc', 'kernel', 'secret_hash', 'bad_kernel_reason'],
      ...['shipper', 'previous_hash', 'state', 'reason'],
    ],
    why: 'facts of a host, and numbers of lines',
  },
  agent_certificate: {
    columns: ['place', 'subject', 'issuer', 'fingerprint', 'former_fingerprint'],
    why: 'certificates on a host',
  },
  agent_change: { columns: ['kind', 'field', 'before', 'after', 'actor', 'name'], why: 'history of a host' },
  agent_change_diff: { columns: ['diff'], why: 'changed lines of a configuration file, masked by the agent' },
  agent_label: { columns: ['name', 'value'], why: 'given by people' },
  agent_vitals: { columns: ['data'], why: 'numbers of a host, and mount points of its disks' },
  agent_name: { columns: ['name', 'name_key'], why: 'names of hosts' },
  alert: {
    columns: ['key', 'state', 'groups', 'cause', 'ack_by', 'ack_note', 'within'],
    why: 'names of groups, sources and services, of changes and hosts, a note of a person and the filter of one',
  },
  alert_rule: {
    columns: [
      ...['name', 'kind', 'condition', 'filter', 'position', 'created_by', 'author_scopes', 'author_filter', 'runbook'],
      'issue',
    ],
    why: 'given by people',
  },
  api_token: {
    columns: [
      ...['name', 'token_hash', 'token_tail', 'scopes', 'allowed_cidrs', 'last_address', 'last_client'],
      ...['previous_hash', 'kind', 'errlog_filter'],
    ],
    why: 'credentials',
  },
  api_token_use: { columns: ['name'], why: 'names of permissions and endpoints' },
  audit: {
    columns: [
      ...['action', 'actor_kind', 'actor_name', 'credential', 'address', 'request_id', 'target_kind', 'detail'],
      ...['previous', 'hash', 'noun'],
    ],
    why: 'actions of people; an erasure is recorded with the hash of its filter',
  },
  change: {
    columns: [
      ...['kind', 'name', 'before', 'after', 'labels', 'service', 'url', 'author', 'created_by', 'pending', 'owner'],
      ...['key', 'body_hash'],
    ],
    why: 'changes that were reported from outside',
  },
  change_host: { columns: ['host'], why: 'names of hosts' },
  device_code: {
    columns: ['device_hash', 'user_hash', 'name', 'address', 'network', 'client', 'state'],
    why: 'terminals that wait for a sign-in',
  },
  exchanged_token: { columns: ['digest'], why: 'hashes' },
  identity: { columns: ['issuer', 'subject'], why: 'people at providers' },
  sso_session: { columns: ['provider', 'sid', 'refresh_token', 'access_token'], why: 'credentials' },
  trust_rule: {
    columns: ['name', 'issuer', 'audience', 'subject', 'scopes', 'allowed_cidrs'],
    why: 'whose id tokens are trusted',
  },
  shared_link: { columns: ['subject', 'token_hash'], why: 'credentials' },
  enrollment: { columns: ['name', 'token_hash', 'token_tail', 'labels', 'created_by'], why: 'credentials' },
  errlog: {
    columns: ['fingerprint', 'state', 'until', 'note', 'service'],
    why: 'a hash, names, and what people write about a group',
  },
  errlog_alias: {
    columns: ['fingerprint', 'service', 'expression', 'target', 'created_by'],
    why: 'hashes, names, and words that tell the lines of a split from others',
  },
  errlog_history: { columns: ['action', 'actor'], why: 'actions of people' },
  errlog_hour: { columns: ['minutes'], why: 'numbers by the minute' },
  errlog_moved: { columns: ['saved'], why: 'a group without its text' },
  errlog_rule: { columns: ['text', 'action', 'created_by'], why: 'given by people' },
  errlog_fingerprint_new: { columns: ['fingerprint'], why: 'hashes' },
  errlog_fingerprint_old: { columns: ['fingerprint'], why: 'hashes' },
  errlog_receipt: {
    columns: ['owner', 'key', 'body_hash', 'answer'],
    why: 'numbers of accepted lines, and reasons of refusals, which quote no line',
  },
  errlog_total: { columns: ['service', 'state'], why: 'names' },
  event: { columns: ['type'], why: 'names' },
  kernel_rule: { columns: ['pattern', 'reason', 'created_by'], why: 'given by people' },
  known_address: { columns: ['address'], why: 'addresses of users' },
  lease: { columns: ['name', 'holder'], why: 'names of tasks and servers' },
  ledger: { columns: ['stage'], why: 'names' },
  ledger_batch: { columns: ['spool', 'dropped'], why: 'numbers of lost lines' },
  ledger_gap: { columns: ['stage'], why: 'names' },
  operation: { columns: ['kind', 'params', 'state', 'detail', 'created_by'], why: 'tasks for agents' },
  recovery_code: { columns: ['code_hash'], why: 'credentials' },
  service_release: {
    columns: ['service', 'environment', 'name'],
    why: 'names of releases, as the programs send them beside their lines',
  },
  session: { columns: ['token_hash', 'address', 'client'], why: 'credentials' },
  setting: { columns: ['name', 'value'], why: 'state of the installation: numbers, times and names' },
  source: { columns: ['name', 'name_key', 'host', 'address'], why: 'names of senders' },
  throttle: { columns: ['key'], why: 'names of accounts, and addresses' },
  user: { columns: ['username', 'name_key', 'password_hash', 'role', 'totp_seed', 'errlog_filter'], why: 'accounts' },
  webhook: {
    columns: [
      ...['name', 'kind', 'url', 'recipients', 'types', 'filter', 'secret', 'previous_secret', 'created_by', 'parts'],
      ...['author_scopes', 'author_filter', 'prefix', 'settings'],
    ],
    why: 'channels, as people set them up',
  },
  webhook_delivery: { columns: ['message_id', 'type', 'state', 'receipt'], why: 'names' },
};

/** Tables from which an erasure deletes or replaces rows. */
export const ERASED_TABLES: readonly string[] = Object.keys(HOLDS_LINES);
