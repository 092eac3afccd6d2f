// Keys of the screens about agents.
import { contract } from '@quarterdeck/core';
import type { Binding } from '@quarterdeck/views/keys';
import { calls, create, edit, onRow, remove } from './calls.ts';

const { agent, agentOperation, enrollment, errlog, kernelRule } = contract;

/** Scopes of the screens about agents. */
export const FLEET_KEYS = {
  agents: {
    entry: {
      keys: ['enter'],
      hint: 'entry',
      help: 'History: choose an entry, and show its changed lines or all of its text',
      plain: true,
      yields: true,
    },
    nextTab: {
      keys: ['] ]'],
      hint: 'next view',
      help: 'Details: history, logs and other views',
      repeats: true,
      plain: true,
      row: true,
    },
    previousTab: { keys: ['[ ['], help: 'Details: previous view', repeats: true, plain: true, row: true },
    away: { keys: ['u'], hint: 'away only', help: 'Show only agents that are away, or all', word: 'away' },
    byState: { keys: ['b s'], help: 'Show only agents in this state', word: 'only-state', row: true },
    byEnv: { keys: ['b e'], help: 'Show only agents in this environment', word: 'only-env', row: true },
    byKernel: { keys: ['b k'], help: 'Show only agents with this kernel', word: 'only-kernel', row: true },
    byBadKernel: { keys: ['b x'], help: 'Show only agents with a bad kernel, or all', word: 'bad-kernels' },
    withDeleted: { keys: ['b d'], help: 'Include deleted agents, or not', word: 'deleted' },
    clearFilter: { keys: ['b 0'], help: 'Clear the filter', word: 'all' },
    logs: {
      keys: ['g l'],
      help: 'Go to the error logs of this host',
      word: 'agent-logs',
      access: errlog.list.access,
      row: true,
    },
    diffs: {
      keys: ['c'],
      help: 'Show the changed lines of configuration files on this host',
      word: 'changed-lines',
      access: agent.diff.access,
      row: true,
    },
    at: {
      keys: ['@ a'],
      help: 'Show the fleet as it was at a time: at 03:00, at now',
      word: 'at',
    },
    compare: {
      keys: ['C'],
      hint: 'compare',
      help: 'Compare two marked agents, or this one with its state at another time',
      word: 'compare',
      access: agent.get.access,
    },
    operations: {
      keys: ['g O'],
      help: 'Go to the operations of this agent',
      word: 'agent-operations',
      access: agentOperation.list.access,
      row: true,
    },
    edit: edit(agent.update, 'Change labels, settings and maintenance of the agent, or the marked ones'),
    note: {
      keys: ['t'],
      help: 'Write a note to the agent, or to the marked ones',
      word: 'note',
      ...onRow(agent.update),
    },
    maintenance: {
      keys: ['M'],
      help: 'Switch maintenance on or off for the agent, or the marked ones',
      word: 'maintenance',
      ...onRow(agent.bulk),
    },
    operate: {
      keys: ['O'],
      hint: 'operate',
      help: 'Start an operation on the agent, or the marked ones: facts, upgrade, tailer',
      word: 'operate',
      ...onRow(agentOperation.create),
    },
    remove: remove(agent.bulk, 'Delete the agent, or the marked ones; asks first'),
    restore: {
      keys: ['A'],
      hint: 'restore…',
      help: 'Restore the deleted agent, or the marked ones; asks first',
      word: 'restore',
      ...onRow(agent.bulk),
    },
    purge: {
      keys: ['X'],
      help: 'Purge the deleted agent, or the marked ones, for good; asks first',
      word: 'purge',
      ...onRow(agent.bulk),
    },
    bulk: {
      keys: ['B'],
      help: 'Change, delete, restore, purge or operate all matching agents; asks first',
      word: 'bulk',
      ...calls(agent.bulk),
    },
  },
  enrollment: {
    create: create(enrollment.create, 'Create an enrollment token'),
    remove: remove(enrollment.remove, 'Revoke the token, or the marked ones; asks first', 'revoke…'),
  },
  operations: {
    cancel: {
      keys: ['D', 'delete'],
      hint: 'cancel…',
      help: 'Cancel the operation, or the marked ones, if not started; asks first',
      word: 'cancel',
      ...onRow(agentOperation.cancel),
    },
    agent: {
      keys: ['g a'],
      hint: 'agent',
      help: 'Go to its agent',
      word: 'agent',
      access: agent.list.access,
      row: true,
    },
  },
  kernelRules: {
    create: create(kernelRule.create, 'Add a rule for bad kernels'),
    agents: {
      keys: ['g a'],
      hint: 'agents',
      help: 'Go to the agents with a bad kernel',
      word: 'bad-kernels',
      access: agent.list.access,
    },
    remove: remove(kernelRule.remove, 'Delete the rule, or the marked ones; asks first'),
  },
  outages: {
    away: {
      keys: ['g a'],
      hint: 'away',
      help: 'Go to the agents that are away now',
      word: 'away',
      access: agent.list.access,
    },
  },
} as const satisfies Record<string, Record<string, Binding>>;
