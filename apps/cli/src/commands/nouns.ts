// Commands about users, sources, outages, the audit log, changes from outside, and events.
import type { Command, Flag, Noun } from '../command/command.ts';
import { LIST_FLAGS, SERVER_FLAGS } from '../command/flags.ts';
import { fieldsOf } from '../command/output-fields.ts';
import { create, each, get, list } from './build.ts';

const PASSWORD_STDIN: Flag = {
  name: 'password_stdin',
  type: 'flag',
  about: 'Read the password from standard input instead of asking for it',
};

const password: Command = {
  about: "Set the password of a user, which ends the user's sessions",
  args: '<id>',
  argsAbout: 'Id of the user',
  flags: [PASSWORD_STDIN, ...SERVER_FLAGS],
  examples: ['users password 4'],
  run: async (invocation) => (await import('../run/users.ts')).runPassword(invocation),
};

export const users: Noun = {
  about: 'Users',
  fallback: 'list',
  verbs: {
    list: list({
      endpoint: 'user.list',
      time: '_created_unix',
      columns: ['id', 'username', 'role', 'disabled', 'second_factor', '_created_unix'],
      wide: ['_modified_unix'],
      examples: ['users list', "users list --filter 'role:master second_factor:false'"],
    }),
    get: get({ endpoint: 'user.get' }),
    me: get({ endpoint: 'user.me', byId: false }),
    create: create({
      endpoint: 'user.create',
      omit: ['password'],
      flags: [PASSWORD_STDIN],
      examples: [
        'users create --username ann --role operator',
        'users create --username north --role operator --errlog-filter label:tenant=north',
      ],
      async more({ values, program }) {
        const { readNewPassword } = await import('../run/users.ts');
        return { password: await readNewPassword(program.io, values) };
      },
    }),
    update: each({
      endpoint: 'user.update',
      omit: ['password'],
      unit: 'user',
      verb: 'Change',
      done: 'Changed',
      examples: ['users update 4 --role viewer', 'users update 4 --disabled', 'users update 4 --no-disabled'],
    }),
    password,
    unlock: each({ endpoint: 'user.unlock', unit: 'user', verb: 'Unlock', done: 'Unlocked' }),
    'end-sessions': each({
      endpoint: 'user.endSessions',
      unit: 'user',
      verb: 'End all sessions of',
      done: 'Ended the sessions of',
    }),
    'reset-2fa': each({
      endpoint: 'user.resetSecondFactor',
      unit: 'user',
      verb: 'Turn off the second factor of',
      done: 'Turned off the second factor of',
      isFinal: true,
    }),
    delete: each({ endpoint: 'user.remove', unit: 'user', verb: 'Delete', done: 'Deleted', isFinal: true }),
    sessions: list({
      endpoint: 'user.sessions',
      time: 'created',
      columns: ['id', 'current', 'address', 'client', 'created', 'last_used', 'expire'],
    }),
    'end-session': each({ endpoint: 'user.removeSession', unit: 'session', verb: 'End', done: 'Ended' }),
  },
};

export const sources: Noun = {
  about: 'Sources of log lines',
  fallback: 'list',
  verbs: {
    list: list({
      endpoint: 'errlog.sources',
      time: 'created',
      columns: ['id', 'name', 'address', 'agent_id', 'groups', 'created'],
      wide: ['node_type', 'node_id'],
      examples: ['sources', "sources --filter 'name:web*'"],
    }),
  },
};

export const outages: Noun = {
  about: 'Outages, at which many agents went silent together',
  fallback: 'list',
  verbs: {
    list: list({
      endpoint: 'outage.list',
      time: 'started',
      columns: ['id', 'started', 'ended', 'lost', 'returned', 'sample'],
      examples: ['outages --since 7d'],
    }),
  },
};

const ENTRY_COLUMNS = {
  columns: ['id', 'time', 'action', 'actor.name', 'actor.address', 'target.kind', 'target.id', 'detail'],
  wide: ['actor.credential', 'request_id', 'hash'],
};

const verify: Command = {
  about: 'Check that no entry was changed or removed; exit code 3 where one was',
  flags: get({ endpoint: 'audit.verify', byId: false }).flags,
  examples: ['audit verify && echo intact'],
  run: async (invocation) => (await import('../run/audit.ts')).runVerify(invocation),
};

const auditExport: Command = {
  about: 'Print all entries of a filter as NDJSON, or in the format of -o',
  flags: list({ endpoint: 'audit.list', ...ENTRY_COLUMNS }).flags.filter(
    ({ name }) => name !== 'limit' && name !== 'all',
  ),
  examples: ['audit export --since 30d > audit.ndjson', 'audit export -o csv --action user > users.csv'],
  async run(invocation) {
    const { runList } = await import('../run/list.ts');
    const values = { output: 'ndjson', ...invocation.values, all: true };
    return runList({ ...invocation, values }, { endpoint: 'audit.list', ...ENTRY_COLUMNS });
  },
};

export const audit: Noun = {
  about: 'The audit log of changes and sign-ins',
  fallback: 'list',
  verbs: {
    list: list({
      endpoint: 'audit.list',
      ...ENTRY_COLUMNS,
      examples: ['audit list --since 1d', "audit list --action api_token --filter 'actor.name:ann'"],
    }),
    verify,
    export: auditExport,
  },
};

const EFFECTS = get({ endpoint: 'change.effects', rows: fieldsOf('change.effects', 'errors[]') });

const wait: Command = {
  ...EFFECTS,
  about: 'Wait for the verdict on a change; exit code 10 where errors are worse, 11 where data for it is missing',
  flags: [
    {
      name: 'for',
      type: 'duration',
      placeholder: 'time',
      about: 'Longest wait, counted from now, such as 10m, which is the default; it ends early with the verdict',
    },
    ...EFFECTS.flags.filter(({ name }) => name !== 'wait'),
  ],
  examples: ['change wait 5 --for 10m || ./roll-back.sh'],
  run: async (invocation) => (await import('../run/effects.ts')).runWait(invocation),
};

export const change: Noun = {
  about: 'Changes from outside, such as deployments',
  fallback: 'list',
  verbs: {
    list: list({
      endpoint: 'change.list',
      columns: ['id', 'time', 'kind', 'name', 'before', 'after', 'service', 'author', 'host_count'],
      wide: ['hosts', 'labels', 'agents', 'url', 'created_by'],
      examples: ['change list --since 1d --kind deploy'],
    }),
    get: get({ endpoint: 'change.get' }),
    create: create({
      endpoint: 'change.create',
      isRepeatable: true,
      examples: [
        'change create --kind deploy --name shop --before 1.4.1 --after 1.4.2 --hosts web1,web2',
        'change create --body deployment.json',
      ],
    }),
    effects: {
      ...EFFECTS,
      examples: ['change effects 5', 'change effects 5 --within 2h --jq .verdict'],
      run: async (invocation) => (await import('../run/effects.ts')).runEffects(invocation),
    },
    wait,
  },
};

export const events: Command = {
  about: 'Print events of the server as they happen',
  flags: [
    { name: 'follow', short: 'f', type: 'flag', about: 'Follow the stream until interrupted; this is the default' },
    {
      name: 'types',
      type: 'texts',
      placeholder: 'types',
      about: 'Types of events, comma-separated; default all but line',
    },
    { name: 'count', type: 'number', placeholder: 'n', about: 'End after this many events' },
    { name: 'after', type: 'text', placeholder: 'id', about: 'Continue after the event with this id' },
    ...LIST_FLAGS.filter(({ name }) => name === 'filter'),
    {
      name: 'output',
      short: 'o',
      type: 'text',
      placeholder: 'format',
      values: ['table', 'json', 'ndjson'],
      about: 'table, json or ndjson: one event a line; default table',
    },
    ...SERVER_FLAGS,
  ],
  examples: ['events -f', 'events --types agent.offline,agent.outage -o ndjson'],
  run: async (invocation) => (await import('../run/events.ts')).runEvents(invocation),
};
