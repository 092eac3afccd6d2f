// Commands about API tokens and enrollment tokens.
import { type Command, endpointOf, type Flag, type Noun } from '../command/command.ts';
import { CHANGE_FLAGS } from '../command/flags.ts';
import { fieldsOf } from '../command/output-fields.ts';
import { create, each, get, list, printFlags } from './build.ts';

const COLUMNS = {
  columns: ['id', 'name', 'state', 'expire', 'username', 'scopes', 'last_used'],
  wide: [
    'token_tail',
    'allowed_cidrs',
    'errlog_filter',
    'last_address',
    'last_client',
    'grace_until',
    'unused',
    '_created_unix',
  ],
};

const LEAKED: readonly Flag[] = [
  { name: 'secrets_stdin', type: 'flag', about: 'Read leaked secrets, one a line, from standard input' },
];

const revokeById = each({
  endpoint: 'apiToken.remove',
  unit: 'API token',
  verb: 'Revoke',
  done: 'Revoked',
  about: 'Revoke API tokens by their ids, or leaked ones by their secrets',
  examples: ['tokens revoke 7', 'quarterdeck tokens revoke --secrets-stdin < leaked.txt'],
});

const revoke: Command = {
  ...revokeById,
  aliases: ['delete'],
  args: '[id...]',
  flags: [...LEAKED, ...revokeById.flags],
  async run(invocation) {
    const { runRevokeSecrets } = await import('../run/tokens.ts');
    const { usage } = await import('../process/command-error.ts');
    if (invocation.values['secrets_stdin'] === true) return runRevokeSecrets(invocation);
    if (invocation.args.length === 0) throw usage('Give ids, or --secrets-stdin.');
    return revokeById.run(invocation);
  },
};

/** A change without a body. */
const act = (verb: 'Disable' | 'Enable', endpoint: 'apiToken.disable' | 'apiToken.enable'): Command =>
  each({ endpoint, unit: 'API token', verb, done: `${verb}d`, examples: [`tokens ${verb.toLowerCase()} 7`] });

export const tokens: Noun = {
  about: 'API tokens',
  fallback: 'list',
  verbs: {
    list: list({
      endpoint: 'apiToken.list',
      ...COLUMNS,
      time: '_created_unix',
      examples: [
        'tokens list',
        "tokens list --filter 'state:expiring'",
        'tokens list --all -o csv --columns id,name,expire',
      ],
    }),
    get: get({ endpoint: 'apiToken.get' }),
    self: get({ endpoint: 'apiToken.self', byId: false }),
    create: create({
      endpoint: 'apiToken.create',
      examples: [
        'tokens create --name backup --expire 90d --scopes errlog:write',
        'tokens create --name ci -q',
        "tokens create --name north --scopes errlog:read --errlog-filter 'host:north-* -service:payments'",
      ],
    }),
    update: each({ endpoint: 'apiToken.update', unit: 'API token', verb: 'Change', done: 'Changed' }),
    rotate: each({
      endpoint: 'apiToken.rotate',
      unit: 'API token',
      verb: 'Rotate',
      done: 'Rotated',
      examples: ['tokens rotate 7 --grace 1h --jq .token'],
    }),
    use: get({ endpoint: 'apiToken.use' }),
    narrow: {
      about: endpointOf('apiToken.narrow').summary,
      args: '<id>',
      argsAbout: 'Id of the object',
      flags: [...CHANGE_FLAGS, ...printFlags(fieldsOf('apiToken.narrow'))],
      examples: ['tokens narrow 7 --dry-run', 'tokens narrow 7 --yes'],
      run: async (invocation) => (await import('../run/previewed-change.ts')).runNarrow(invocation),
    },
    disable: act('Disable', 'apiToken.disable'),
    enable: act('Enable', 'apiToken.enable'),
    revoke,
  },
};

export const enroll: Noun = {
  about: 'Enrollment tokens, which register agents',
  fallback: 'list',
  verbs: {
    list: list({
      endpoint: 'enrollment.list',
      columns: ['id', 'name', 'state', 'expire', 'uses', 'used', 'labels'],
      wide: ['created'],
      time: 'created',
    }),
    create: create({
      endpoint: 'enrollment.create',
      examples: ['enroll create --name rack-7 --expire 1d --uses 40 --labels site=north'],
    }),
    get: get({ endpoint: 'enrollment.get' }),
    update: each({
      endpoint: 'enrollment.update',
      unit: 'enrollment token',
      verb: 'Change',
      done: 'Changed',
      examples: ['enroll update 2 --labels site=north,rack=7'],
    }),
    revoke: each({
      endpoint: 'enrollment.remove',
      unit: 'enrollment token',
      verb: 'Revoke',
      done: 'Revoked',
      aliases: ['delete'],
    }),
  },
};
