// Commands about agents.

import { type Command, endpointOf, type Flag, type Noun, type Values } from '../command/command.ts';
import { CHANGE_FLAGS, DRY_RUN, fieldFlags, LIST_FLAGS } from '../command/flags.ts';
import { fieldsOf } from '../command/output-fields.ts';
import { usage } from '../process/command-error.ts';
import type { ListSource } from '../run/rows.ts';
import { create, each, get, list, printFlags } from './build.ts';

const LIST: ListSource = { endpoint: 'agent.list', time: 'last_reported' };

/** Filters that select agents for a change. */
const SELECTION: readonly Flag[] = [
  ...LIST_FLAGS.filter(({ name }) => name !== 'limit'),
  ...fieldFlags(endpointOf('agent.list').query, ['filter', 'sort', 'at', 'maintenance', 'env']),
];

type Change = (values: Values) => Values;

/** Selects among deleted agents. */
const DELETED: ListSource = { ...LIST, query: { state: 'deleted' } };

/** A change of many agents by one of the actions of the contract. */
function bulk(
  texts: { readonly about: string; readonly verb: string; readonly done: string; readonly examples: readonly string[] },
  action: 'delete' | 'restore' | 'purge' | 'operate',
  single: 'agent.remove' | 'agent.restore' | 'agent.purge' | 'agentOperation.create',
  flags: readonly Flag[] = [],
  change: Change = () => ({}),
): Command {
  return {
    about: texts.about,
    args: '[id...]',
    argsAbout: 'Ids of agents; - reads them from standard input; none: those of the filters',
    flags: [...flags, ...SELECTION, ...CHANGE_FLAGS, ...printFlags([...fieldsOf(single), ...fieldsOf('agent.bulk')])],
    examples: texts.examples,
    async run(invocation) {
      const { runBulk } = await import('../run/bulk.ts');
      const own = change(invocation.values);
      const [id] = invocation.args;
      return runBulk(invocation, {
        endpoint: 'agent.bulk',
        list: action === 'restore' || action === 'purge' ? DELETED : LIST,
        single,
        singleBody: single === 'agentOperation.create' ? { agent_id: Number(id), ...own } : undefined,
        change: { action, ...own },
        unit: 'agent',
        verb: texts.verb,
        done: texts.done,
      });
    },
  };
}

/** Operations of the contract; their parameters by options of their own. */
const OPERATE: readonly Flag[] = [
  { name: 'kind', type: 'text', values: ['collect_facts', 'upgrade', 'restart_tailer'], about: 'Operation; required' },
  { name: 'target_version', type: 'text', placeholder: 'version', about: 'With upgrade: the version to install' },
];

const operate = bulk(
  {
    about: 'Request an operation from agents',
    verb: 'Request the operation from',
    done: 'Requested from',
    examples: [
      'agents operate 3 --kind collect_facts',
      'agents operate --label site=north --kind upgrade --target-version 2.4.1',
    ],
  },
  'operate',
  'agentOperation.create',
  OPERATE,
  ({ kind, target_version: version }) => {
    if (kind === undefined) throw usage('--kind is required: collect_facts, upgrade or restart_tailer.');
    return { kind, ...(version === undefined ? {} : { params: { version } }) };
  },
);

const note: Command = {
  about: 'Write the note of an agent',
  args: '<id> <text>',
  argsAbout: 'Id of the agent, and its note; - reads the note from standard input, "" removes it',
  flags: [DRY_RUN, ...printFlags(fieldsOf('agent.update'))],
  examples: ['agents note 3 "spare gateway"'],
  run: async (invocation) => (await import('../run/note.ts')).runNote(invocation, 'agent.update'),
};

const label: Command = {
  about: 'Add, change or remove labels of agents; the others stay',
  args: '<label...>',
  argsAbout: 'Ids of agents, and labels: name=value sets one, name- removes one',
  flags: [...SELECTION, ...CHANGE_FLAGS, ...printFlags(fieldsOf('agent.update'))],
  examples: ['agents label 3 4 site=north tier-', 'agents label --q gw- role=gateway --dry-run'],
  run: async (invocation) => (await import('../run/agents.ts')).runLabel(invocation, LIST),
};

const maintenance: Command = {
  about: 'Begin or end the maintenance of agents, which suppresses notifications about their state',
  args: '<on|off> [id...]',
  argsAbout: 'on or off, and ids of agents; none: those of the filters',
  flags: [...SELECTION, ...CHANGE_FLAGS, ...printFlags([...fieldsOf('agent.update'), ...fieldsOf('agent.bulk')])],
  examples: ['agents maintenance on 3', 'agents maintenance off --label site=north'],
  run: async (invocation) => (await import('../run/agents.ts')).runMaintenance(invocation, LIST),
};

export const agents: Noun = {
  about: 'Agents: the hosts of the fleet',
  fallback: 'list',
  verbs: {
    list: list({
      ...LIST,
      columns: ['id', 'hostname', 'state', 'ip', 'env', 'system_version.kernel', 'last_reported', 'labels', 'note'],
      wide: ['node_id', 'reason', 'system_name', 'package.version', 'maintenance', 'cloned', 'created'],
      examples: [
        'agents list --state offline,inactive',
        "agents list --filter 'host:web* kernel:5.15* label.site:north' --all -q",
        'agents list --at 2d -o csv --columns hostname,ip',
      ],
    }),
    get: get({ endpoint: 'agent.get' }),
    totals: get({ endpoint: 'agent.totals', byId: false, examples: ['agents totals --label site=north -o json'] }),
    history: list({
      endpoint: 'agent.events',
      byId: 'params',
      time: 'time',
      argsAbout: 'Id of the agent',
      columns: ['time', 'kind', 'field', 'name', 'from', 'to', 'actor'],
      wide: ['id', 'since', 'change_id', 'has_diff'],
      examples: ['agents history 3 --since 1d', 'agents history 3 --kind rebooted'],
    }),
    label,
    note,
    maintenance,
    operate,
    operations: list({
      endpoint: 'agentOperation.list',
      time: 'created',
      columns: ['id', 'agent_id', 'hostname', 'kind', 'state', 'progress', 'created', 'detail'],
      wide: ['created_by', 'deadline', 'params'],
    }),
    cancel: each({ endpoint: 'agentOperation.cancel', unit: 'operation', verb: 'Cancel', done: 'Cancelled' }),
    delete: bulk(
      {
        about: 'Delete agents: their secrets stop working; they can be restored for thirty days',
        verb: 'Delete',
        done: 'Deleted',
        examples: ['agents delete 3', 'agents delete --state inactive --dry-run'],
      },
      'delete',
      'agent.remove',
    ),
    restore: bulk(
      { about: 'Restore deleted agents', verb: 'Restore', done: 'Restored', examples: ['agents restore 3'] },
      'restore',
      'agent.restore',
    ),
    purge: bulk(
      { about: 'Purge deleted agents with their history', verb: 'Purge', done: 'Purged', examples: ['agents purge 3'] },
      'purge',
      'agent.purge',
    ),
    kernels: list({ endpoint: 'kernelRule.list', time: 'created', columns: ['id', 'pattern', 'reason', 'created'] }),
    'mark-kernel': create({ endpoint: 'kernelRule.create' }),
    'unmark-kernel': each({ endpoint: 'kernelRule.remove', unit: 'pattern', verb: 'Delete', done: 'Deleted' }),
  },
};
