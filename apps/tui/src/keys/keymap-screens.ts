// Keys of single screens.
import { contract } from '@quarterdeck/core';
import type { Binding } from '@quarterdeck/views/keys';
import { calls, onRow } from './calls.ts';

const { agent, apiToken, errlog, line, audit } = contract;

/** Creates a token on the screens of errors and lines, while they are empty. */
const FIRST_TOKEN = {
  keys: ['a'],
  hint: 'new token',
  help: 'While there are none: create a token that sends lines, with its command',
  word: 'first-token',
  ...calls(apiToken.create),
} as const;

/** Commands by level, on errors and on lines. */
const LEVEL_KEYS = {
  levelMore: { keys: [')'], help: 'Include the next milder level', word: 'milder' },
  levelLess: { keys: ['('], help: 'Show only more severe levels', word: 'severe' },
  nextError: { keys: ['] e'], help: 'Next error or worse', repeats: true, plain: true },
  previousError: { keys: ['[ e'], help: 'Previous error or worse', repeats: true, plain: true },
  nextWarning: { keys: ['] w'], help: 'Next warning', repeats: true, plain: true },
  previousWarning: { keys: ['[ w'], help: 'Previous warning', repeats: true, plain: true },
} as const satisfies Record<string, Binding>;

export const SCREEN_KEYS = {
  overview: {
    next: { keys: ['tab', 'l', 'right'], hint: 'next', help: 'Next tile', repeats: true, plain: true },
    previous: { keys: ['shift+tab', 'h', 'left'], help: 'Previous tile', repeats: true, plain: true },
    down: { keys: ['j', 'down'], help: 'Next row, or next tile', repeats: true, plain: true },
    up: { keys: ['k', 'up'], help: 'Previous row, or previous tile', repeats: true, plain: true },
    open: { keys: ['enter', 'o'], hint: 'open', help: 'Open the error or source of the row, or the tile', plain: true },
    refresh: { keys: ['r'], help: 'Reload all tiles', word: 'refresh' },
  },
  errlog: {
    create: FIRST_TOKEN,
    follow: { keys: ['f'], hint: 'follow', help: 'Go to the newest entry and follow', word: 'follow' },
    pause: { keys: ['='], hint: 'pause', help: 'Pause or resume', word: 'pause' },
    lines: {
      keys: ['enter', 'o', 'g l'],
      hint: 'lines',
      help: 'Show the lines of the error; Enter does so in its details',
      word: 'error-lines',
      access: line.list.access,
      yields: true,
    },
    ...LEVEL_KEYS,
    bySource: { keys: ['b s'], help: 'Show only this source', word: 'only-source', row: true },
    byLevel: { keys: ['b l'], help: 'Show only this level', word: 'only-level', row: true },
    byApp: { keys: ['b a'], help: 'Show only this application', word: 'only-app', row: true },
    byRequest: { keys: ['b r'], help: 'Show only one request, by its id', word: 'request' },
    byError: {
      keys: ['b e'],
      hint: 'this error, every source',
      help: 'Show this error on every source',
      word: 'only-error',
      row: true,
    },
    openOnly: {
      keys: ['u'],
      hint: 'open only',
      help: 'Show only new, ongoing and regressed entries, or all',
      word: 'open',
    },
    rollup: {
      keys: ['b u'],
      hint: 'same error together',
      help: 'Group the same error of several sources, or not',
      word: 'together',
    },
    clearFilter: { keys: ['b 0'], help: 'Clear the filter', word: 'all' },
    resolve: {
      keys: ['R'],
      hint: 'resolve',
      help: 'Resolve the entry, or the marked ones',
      word: 'resolve',
      ...onRow(errlog.bulk),
    },
    mute: {
      keys: ['M'],
      hint: 'mute',
      help: 'Mute the entry, or the marked ones',
      word: 'mute',
      ...onRow(errlog.bulk),
    },
    reopen: {
      keys: ['A'],
      help: 'Reopen the entry, or the marked ones; asks first',
      word: 'reopen',
      ...onRow(errlog.bulk),
    },
    merge: {
      keys: ['J'],
      help: 'Merge the marked entries into one group; asks first',
      word: 'merge',
      ...onRow(errlog.merge),
    },
    note: { keys: ['t'], help: 'Write a note to the entry', word: 'note', ...onRow(errlog.update) },
    bulk: {
      keys: ['B'],
      help: 'Resolve, mute or reopen all matching entries; asks first',
      word: 'bulk',
      ...calls(errlog.bulk),
    },
    changes: {
      keys: ['c'],
      hint: 'what changed',
      help: 'Show what changed on the agents before the error, or the error',
      word: 'what-changed',
      access: errlog.changes.access,
    },
    goChange: {
      keys: ['g c'],
      hint: 'effects or lines',
      help: 'Show the effects of a suspected change, or the changed lines of a file',
      word: 'suspected-change',
      access: errlog.changes.access,
      row: true,
    },
    goAgent: {
      keys: ['g a'],
      help: 'Go to an agent that changed',
      word: 'agent',
      access: agent.list.access,
    },
    chart: { keys: ['i'], help: 'Chart of counts over time: higher, hidden, low', word: 'chart' },
    zoomIn: { keys: ['z'], help: 'Chart: zoom in', plain: true },
    zoomOut: { keys: ['Z'], help: 'Chart: zoom out', plain: true },
    earlier: { keys: ['{'], help: 'Chart: earlier', repeats: true, plain: true },
    later: { keys: ['}'], help: 'Chart: later', repeats: true, plain: true },
  },
  audit: {
    verify: {
      keys: ['V'],
      hint: 'verify',
      help: 'Verify that no entry was changed or removed',
      word: 'verify',
      access: audit.verify.access,
    },
  },
  messages: {
    clear: { keys: ['X'], help: 'Clear the messages', word: 'clear' },
  },
  requests: {
    clear: { keys: ['X'], help: 'Clear the requests', word: 'clear' },
  },
  profiles: {
    use: { keys: ['enter'], hint: 'use', help: 'Connect to this server', word: 'use' },
    create: { keys: ['a'], hint: 'add', help: 'Add a profile', word: 'add' },
    edit: { keys: ['e'], hint: 'edit', help: 'Change the profile', word: 'edit', row: true },
    remove: {
      keys: ['D', 'delete'],
      hint: 'delete…',
      help: 'Delete the profile; asks first',
      word: 'delete',
      row: true,
    },
  },
  settings: {
    change: { keys: ['e'], hint: 'change', help: 'Change to the next value', word: 'change', row: true },
  },
  lines: {
    create: FIRST_TOKEN,
    follow: { keys: ['f'], hint: 'follow', help: 'Go to the newest line and follow', word: 'follow' },
    pause: { keys: ['='], hint: 'pause', help: 'Pause or resume', word: 'pause' },
    around: {
      keys: ['w'],
      hint: 'around',
      help: 'Show the lines before and after this one on its host',
      word: 'around',
    },
    goError: {
      keys: ['g l'],
      hint: 'error',
      help: 'Go to the error of the line',
      word: 'error',
      access: errlog.list.access,
    },
    goAgent: { keys: ['g a'], help: 'Go to the agent of the host', word: 'agent', access: agent.list.access },
    split: {
      keys: ['J'],
      help: 'Split the line, or the marked ones, and all like them off their error; asks first',
      word: 'split',
      ...onRow(errlog.split),
    },
    ...LEVEL_KEYS,
    bySource: { keys: ['b s'], help: 'Show only this source', word: 'only-source' },
    byService: { keys: ['b v'], help: 'Show only this service', word: 'only-service' },
    byLevel: { keys: ['b l'], help: 'Show only this level', word: 'only-level' },
    byApp: { keys: ['b a'], help: 'Show only this application', word: 'only-app' },
    byRequest: { keys: ['b r'], help: 'Show only this request', word: 'only-request' },
    byError: { keys: ['b e'], help: 'Show only the lines of this error', word: 'only-error' },
    clearFilter: { keys: ['b 0'], help: 'Clear the filter', word: 'all' },
  },
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
