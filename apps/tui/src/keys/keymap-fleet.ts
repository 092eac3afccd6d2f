// Keys of the screens about agents.
import { contract } from '@quarterdeck/core';
import type { Binding } from './binding.ts';

const { agent, agentOperation, enrollment, errlog, kernelRule } = contract;

/** Scopes of the screens about agents. */
export const FLEET_KEYS = {
  agents: {
    nextTab: {
      keys: [']'],
      hint: 'next view',
      help: 'Details: history, logs and other views',
      repeats: true,
      plain: true,
    },
    previousTab: { keys: ['['], help: 'Details: previous view', repeats: true, plain: true },
    away: { keys: ['u'], hint: 'away only', help: 'Show only agents that are away, or all', word: 'away' },
    byState: { keys: ['b s'], help: 'Show only agents in this state', word: 'only-state' },
    byEnv: { keys: ['b e'], help: 'Show only agents in this environment', word: 'only-env' },
    byKernel: { keys: ['b k'], help: 'Show only agents with this kernel', word: 'only-kernel' },
    byBadKernel: { keys: ['b x'], help: 'Show only agents with a bad kernel, or all', word: 'bad-kernels' },
    withDeleted: { keys: ['b d'], help: 'Include deleted agents, or not', word: 'deleted' },
    clearFilter: { keys: ['b b'], help: 'Clear the filter', word: 'all' },
    logs: {
      keys: ['b l'],
      help: 'Show the error logs of this host',
      word: 'agent-logs',
      access: errlog.list.access,
    },
    diffs: {
      keys: ['b c'],
      help: 'Show the changed lines of configuration files on this host',
      word: 'changed-lines',
      access: agent.diff.access,
    },
    operations: {
      keys: ['b o'],
      help: 'Show the operations of this agent',
      word: 'agent-operations',
      access: agentOperation.list.access,
    },
    edit: {
      keys: ['e'],
      hint: 'edit',
      help: 'Change labels, settings and maintenance of the agent, or the marked ones',
      word: 'edit',
      access: agent.update.access,
      changes: true,
    },
    note: {
      keys: ['t'],
      help: 'Write a note to the agent, or to the marked ones',
      word: 'note',
      access: agent.update.access,
      changes: true,
    },
    maintenance: {
      keys: ['M'],
      help: 'Switch maintenance on or off for the agent, or the marked ones',
      word: 'maintenance',
      access: agent.bulk.access,
      changes: true,
    },
    operate: {
      keys: ['O'],
      hint: 'operate',
      help: 'Start an operation on the agent, or the marked ones: facts, upgrade, tailer',
      word: 'operate',
      access: agentOperation.create.access,
      changes: true,
    },
    remove: {
      keys: ['D', 'delete'],
      hint: 'delete…',
      help: 'Delete the agent, or the marked ones; asks first',
      word: 'delete',
      access: agent.bulk.access,
      changes: true,
    },
    restore: {
      keys: ['U'],
      hint: 'restore…',
      help: 'Restore the deleted agent, or the marked ones; asks first',
      word: 'restore',
      access: agent.bulk.access,
      changes: true,
    },
    purge: {
      keys: ['X'],
      help: 'Purge the deleted agent, or the marked ones, for good; asks first',
      word: 'purge',
      access: agent.bulk.access,
      changes: true,
    },
    bulk: {
      keys: ['B'],
      help: 'Change, delete, restore, purge or operate all matching agents; asks first',
      word: 'bulk',
      access: agent.bulk.access,
      changes: true,
    },
  },
  enrollment: {
    create: {
      keys: ['a'],
      hint: 'add',
      help: 'Create an enrolment token',
      word: 'add',
      access: enrollment.create.access,
      changes: true,
    },
    remove: {
      keys: ['D', 'delete'],
      hint: 'revoke…',
      help: 'Revoke the token, or the marked ones; asks first',
      word: 'delete',
      access: enrollment.remove.access,
      changes: true,
    },
  },
  operations: {
    cancel: {
      keys: ['D', 'delete'],
      hint: 'cancel…',
      help: 'Cancel the operation, or the marked ones, if not started; asks first',
      word: 'cancel',
      access: agentOperation.cancel.access,
      changes: true,
    },
    agent: { keys: ['a'], hint: 'agent', help: 'Go to its agent', word: 'agent', access: agent.list.access },
  },
  kernelRules: {
    create: {
      keys: ['a'],
      hint: 'add',
      help: 'Add a rule for bad kernels',
      word: 'add',
      access: kernelRule.create.access,
      changes: true,
    },
    agents: {
      keys: ['b x'],
      hint: 'agents',
      help: 'Show the agents with a bad kernel',
      word: 'bad-kernels',
      access: agent.list.access,
    },
    remove: {
      keys: ['D', 'delete'],
      hint: 'delete…',
      help: 'Delete the rule, or the marked ones; asks first',
      word: 'delete',
      access: kernelRule.remove.access,
      changes: true,
    },
  },
  outages: {
    away: {
      keys: ['a'],
      hint: 'away',
      help: 'Show the agents that are away now',
      word: 'away',
      access: agent.list.access,
    },
  },
} as const satisfies Record<string, Record<string, Binding>>;
