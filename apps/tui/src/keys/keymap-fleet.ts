// Keys of the screens about agents.
import { contract } from '@quarterdeck/core';
import type { Binding } from './keymap.ts';

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
    previousTab: { keys: ['['], help: 'Details: the view before', repeats: true, plain: true },
    away: { keys: ['u'], hint: 'away only', help: 'Only those that are away; again: all', word: 'away' },
    byState: { keys: ['b s'], help: 'Only those in this state', word: 'only-state' },
    byEnv: { keys: ['b e'], help: 'Only those in this environment', word: 'only-env' },
    byKernel: { keys: ['b k'], help: 'Only those with this kernel', word: 'only-kernel' },
    byBadKernel: { keys: ['b x'], help: 'Only those with a bad kernel; again: all', word: 'bad-kernels' },
    withDeleted: { keys: ['b d'], help: 'Deleted agents too; again: without them', word: 'deleted' },
    clearFilter: { keys: ['b b'], help: 'Show all of them again', word: 'all' },
    logs: {
      keys: ['b l'],
      help: 'Error logs that come from this host',
      word: 'agent-logs',
      access: errlog.list.access,
    },
    operations: {
      keys: ['b o'],
      help: 'Operations of this agent',
      word: 'agent-operations',
      access: agentOperation.list.access,
    },
    edit: {
      keys: ['e'],
      hint: 'edit',
      help: 'Change labels, settings and maintenance, also of the marked ones',
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
      help: 'Maintenance on or off, also for the marked ones',
      word: 'maintenance',
      access: agent.bulk.access,
      changes: true,
    },
    operate: {
      keys: ['O'],
      hint: 'operate',
      help: 'Ask the agent, or the marked ones, for an operation: facts, upgrade, tailer',
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
      help: 'Change, delete, restore, purge or operate all that match; counts and asks first',
      word: 'bulk',
      access: agent.bulk.access,
      changes: true,
    },
  },
  enrollment: {
    create: {
      keys: ['a'],
      hint: 'add',
      help: 'Make an enrolment token',
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
      help: 'Take the operation back, or the marked ones, where they have not begun; asks first',
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
      help: 'Mark the kernels of a pattern as bad',
      word: 'add',
      access: kernelRule.create.access,
      changes: true,
    },
    agents: {
      keys: ['b x'],
      hint: 'agents',
      help: 'Agents with a bad kernel',
      word: 'bad-kernels',
      access: agent.list.access,
    },
    remove: {
      keys: ['D', 'delete'],
      hint: 'delete…',
      help: 'Take the rule back, or the marked ones; asks first',
      word: 'delete',
      access: kernelRule.remove.access,
      changes: true,
    },
  },
  outages: {
    away: { keys: ['a'], hint: 'away', help: 'Agents that are away now', word: 'away', access: agent.list.access },
  },
} as const satisfies Record<string, Record<string, Binding>>;
