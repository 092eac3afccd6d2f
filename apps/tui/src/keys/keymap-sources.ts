// Keys of the changes from outside, and of the sources of error logs.
import { contract } from '@quarterdeck/core';
import type { Binding } from '@quarterdeck/views/keys';

const { agent, errlog, line } = contract;

/** Scopes of the screens about changes and sources. */
export const SOURCE_KEYS = {
  changes: {
    effect: {
      keys: ['enter'],
      hint: 'error',
      help: 'Details: go to an error that became new, more or less frequent after the change',
      plain: true,
      yields: true,
      access: errlog.list.access,
    },
    errors: {
      keys: ['g l'],
      hint: 'errors',
      help: 'Go to an error that became new, more or less frequent after the change',
      word: 'change-errors',
      access: errlog.list.access,
    },
    agents: {
      keys: ['g a'],
      help: 'Go to an agent that the change concerns',
      word: 'change-agents',
      access: agent.list.access,
    },
  },
  sources: {
    errors: {
      keys: ['enter', 'o'],
      hint: 'errors',
      help: 'Show the errors of this source',
      word: 'source-errors',
      yields: true,
    },
    lines: {
      keys: ['g l'],
      hint: 'lines',
      help: 'Show the lines of this source',
      word: 'source-lines',
      access: line.list.access,
    },
    agents: { keys: ['g a'], help: 'Go to the agent of this source', word: 'source-agent', access: agent.list.access },
  },
} as const satisfies Record<string, Record<string, Binding>>;
