// Commands about alerts, their rules, and the channels that they go to.
import { RESOURCES, SECRET_SETTINGS } from '@quarterdeck/core/plain';
import { type Command, type EndpointName, endpointOf, type Flag, type Noun } from '../command/command.ts';
import { fieldFlags } from '../command/flags.ts';
import { fieldsOf } from '../command/output-fields.ts';
import { alertPeople } from './alert-people.ts';
import { create, each, get, list } from './build.ts';

const { kind } = endpointOf('alert.instances').query;

/** Options that make the condition of a rule. */
const CONDITION: readonly Flag[] = [
  { name: 'kind', type: 'text', values: kind?.values ?? [], about: 'What the rule notifies of' },
  { name: 'count', type: 'number', about: 'Number that must be exceeded' },
  { name: 'within', type: 'duration', about: 'Time looked at' },
  { name: 'per', type: 'text', values: ['group', 'source', 'service'], about: 'Unit of the count' },
  { name: 'resource', type: 'text', values: RESOURCES, about: 'Resource of a host, with host.resource' },
];

/** Adds the options of the condition in the place of its JSON. */
const withCondition = (command: Command): Command => ({
  ...command,
  flags: [...CONDITION, ...command.flags.filter(({ name }) => name !== 'when')],
});

const made = create({
  endpoint: 'alert.create',
  examples: [
    "alerts create --name payments --kind errlog.count --count 50 --within 10m --filter 'service:checkout' --channels 1",
    'alerts create --name hosts --kind agent.offline --for 5m --channels 1,2',
    'alerts create --name disks --kind host.resource --resource disk --count 95 --for 10m --channels 1',
    'alerts create --name new --kind errlog.new --repeat 1h --runbook https://wiki.example.org/{service} --channels 1',
  ],
});

const createRule: Command = {
  ...withCondition(made),
  async run(invocation) {
    const { withWhen } = await import('../run/alerts.ts');
    return made.run(await withWhen(invocation));
  },
};

const changed = each({
  endpoint: 'alert.update',
  unit: 'rule',
  verb: 'Change',
  done: 'Changed',
  examples: ['alerts update 3 --count 200', 'alerts update 3 --channels 1,4 --cooldown 2h'],
});

const updateRule: Command = {
  ...withCondition(changed),
  async run(invocation) {
    const { withRuleWhen } = await import('../run/alerts.ts');
    return changed.run(await withRuleWhen(invocation));
  },
};

const preview: Command = {
  ...withCondition(create({ endpoint: 'alert.preview', rows: fieldsOf('alert.preview', 'examples[]') })),
  args: '[id]',
  argsAbout: 'Id of a rule; its options may differ',
  examples: ['alerts preview 3', 'alerts preview --kind errlog.spike --within 10m', 'alerts preview 3 --count 20'],
  run: async (invocation) => (await import('../run/alerts.ts')).runPreview(invocation),
};

const explained = get({ endpoint: 'alert.explain', rows: fieldsOf('alert.explain', 'conditions[]') });

const explain: Command = {
  ...explained,
  argsAbout: 'Id of the rule',
  flags: [...fieldFlags(endpointOf('alert.explain').body), ...explained.flags],
  examples: ['alerts explain 3', 'alerts explain 3 --at 2h', 'alerts explain 3 --at 2026-01-31T03:10Z --jq .verdict'],
  run: async (invocation) => (await import('../run/alerts.ts')).runExplain(invocation),
};

/** A change of `enabled` alone. */
function turn(endpoint: EndpointName, unit: string, verb: 'Enable' | 'Disable', noun: string): Command {
  const command = each({ endpoint, unit, verb, done: `${verb}d`, about: `${verb} ${unit}s` });
  const fields = Object.keys(endpointOf(endpoint).body);
  return {
    ...command,
    flags: command.flags.filter(({ name }) => !fields.includes(name) && name !== 'body'),
    examples: [`${noun} ${verb.toLowerCase()} 3`],
    run: (invocation) => command.run({ ...invocation, values: { ...invocation.values, enabled: verb === 'Enable' } }),
  };
}

const WAIT: Flag = {
  name: 'wait',
  type: 'flag',
  negatable: true,
  about: 'Wait up to 10 s for the answers of the receivers (default)',
};

/** A command that queues messages, and waits for their outcome. */
function sending(spec: Parameters<typeof each>[0], settle: 'settleChannel' | 'settleDelivery' | 'settleRule'): Command {
  const command = each(spec);
  return {
    ...command,
    flags: [WAIT, ...command.flags],
    async run(invocation) {
      const { runEach } = await import('../run/change.ts');
      const waits = await import('../run/await-delivery.ts');
      return runEach(invocation, spec, undefined, invocation.values['wait'] === false ? undefined : waits[settle]);
    },
  };
}

export const alerts: Noun = {
  about: 'Alerts, and the rules that find them',
  fallback: 'list',
  verbs: {
    list: list({
      endpoint: 'alert.instances',
      time: 'since',
      columns: ['id', 'state', 'rule', 'title', 'since', 'resolved', 'assigned.username', 'acknowledged.by'],
      wide: ['under', 'messages', 'muted_until', 'cause.sentence', 'kind', 'key', 'rule_id', 'parent_id'],
      examples: ['alerts --state firing', "alerts list --since 1d --filter 'rule:payments'"],
    }),
    ...alertPeople,
    rules: list({
      endpoint: 'alert.list',
      time: 'created',
      columns: ['id', 'name', 'enabled', 'when', 'filter', 'channels', 'firing', 'last_fired', 'stopped.why'],
      wide: ['for', 'cooldown', 'created', 'created_by'],
      examples: ['alerts rules'],
    }),
    channels: list({
      endpoint: 'alert.channels',
      columns: ['id', 'name', 'kind', 'enabled'],
      examples: ['alerts channels'],
    }),
    get: get({ endpoint: 'alert.get' }),
    create: createRule,
    update: updateRule,
    preview,
    explain,
    test: sending(
      {
        endpoint: 'alert.test',
        unit: 'rule',
        verb: 'Test',
        done: 'Tested',
        about: 'Send a test message to the channels of a rule, and wait for the answers of their receivers',
        examples: ['alerts test 3', 'alerts test 3 --no-wait'],
      },
      'settleRule',
    ),
    enable: turn('alert.update', 'rule', 'Enable', 'alerts'),
    disable: turn('alert.update', 'rule', 'Disable', 'alerts'),
    delete: each({ endpoint: 'alert.remove', unit: 'rule', verb: 'Delete', done: 'Deleted', isFinal: true }),
  },
};

const SECRETS_STDIN: Flag = {
  name: 'secrets_stdin',
  type: 'flag',
  about: 'Read the secrets of the channel from standard input, one a line, in the order in which they are asked for',
};
const SECRETS: Flag = { name: 'secrets', type: 'flag', about: 'Ask for the secrets of the channel; empty = unchanged' };

const UPDATE_CHANNEL = { endpoint: 'webhook.update', unit: 'channel', verb: 'Change', done: 'Changed' } as const;

/** Changes channels. Secrets are asked for: other users see arguments in the list of processes. */
function updateChannel(): Command {
  const command = each({
    ...UPDATE_CHANNEL,
    omit: SECRET_SETTINGS,
    examples: ['webhooks update 2 --prefix [shop] --parts cause,lines,links', 'webhooks update 2 --secrets'],
  });
  return {
    ...command,
    flags: [SECRETS, SECRETS_STDIN, ...command.flags],
    run: async (invocation) => (await import('../run/channels.ts')).runUpdateChannel(invocation, UPDATE_CHANNEL),
  };
}

export const webhooks: Noun = {
  about: 'Channels that alerts and events are sent to',
  fallback: 'list',
  verbs: {
    list: list({
      endpoint: 'webhook.list',
      time: 'created',
      columns: ['id', 'name', 'kind', 'enabled', 'url', 'waiting', 'dead', 'failing_since', 'gone_since', 'rules'],
      wide: ['to', 'chat', 'types', 'filter', 'prefix', 'parts', 'secrets', 'created', 'created_by'],
      examples: ['webhooks', 'webhooks -o json --columns name,dead'],
    }),
    get: get({ endpoint: 'webhook.get' }),
    create: create({
      endpoint: 'webhook.create',
      examples: [
        'webhooks create --name pager --url https://example.org/hook --jq .secret',
        'webhooks create --name mail --kind email --to ops@example.org,on-call@example.org',
        'webhooks create --name phone --kind telegram --chat -1001234567890',
        'quarterdeck webhooks create --name phone --kind pushover --secrets-stdin < secrets.txt',
      ],
      omit: SECRET_SETTINGS,
      flags: [SECRETS_STDIN],
      async more(invocation) {
        const { newSecrets } = await import('../run/channels.ts');
        return newSecrets(invocation);
      },
    }),
    update: updateChannel(),
    rotate: each({
      endpoint: 'webhook.rotate',
      unit: 'channel',
      verb: 'Rotate the secret of',
      done: 'Rotated the secret of',
      examples: ['webhooks rotate 2 --grace 1d --jq .secret'],
    }),
    test: sending(
      {
        endpoint: 'webhook.test',
        unit: 'channel',
        verb: 'Test',
        done: 'Tested',
        about: 'Send a test message to a channel, and wait for the answer of its receiver',
        examples: ['webhooks test 2'],
      },
      'settleChannel',
    ),
    enable: turn('webhook.update', 'channel', 'Enable', 'webhooks'),
    disable: turn('webhook.update', 'channel', 'Disable', 'webhooks'),
    delete: each({ endpoint: 'webhook.remove', unit: 'channel', verb: 'Delete', done: 'Deleted', isFinal: true }),
    deliveries: list({
      endpoint: 'webhook.deliveries',
      byId: 'params',
      argsAbout: 'Id of the channel',
      time: 'created',
      columns: ['id', 'state', 'type', 'attempts', 'status', 'error', 'created', 'next_attempt'],
      wide: ['answer', 'message_id', 'last_attempt', 'body'],
      examples: [
        'webhooks deliveries 2 --state dead',
        'webhooks deliveries 2 --state dead -q | quarterdeck webhooks redeliver -',
      ],
    }),
    redeliver: sending(
      {
        endpoint: 'webhook.redeliver',
        unit: 'delivery',
        verb: 'Send again',
        done: 'Sent again',
        about: 'Send a delivered or dead message again, and wait for the answer of its receiver',
        examples: ['webhooks redeliver 17', 'webhooks redeliver 17 --no-wait'],
      },
      'settleDelivery',
    ),
  },
};
