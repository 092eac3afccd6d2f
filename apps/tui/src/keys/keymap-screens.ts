// Keys that one screen has.
import { contract } from '@quarterdeck/core';
import type { Binding } from './keymap.ts';

const { apiToken, user, audit } = contract;

/** Scopes of the screens. */
export const SCREEN_KEYS = {
  overview: {
    next: { keys: ['tab', 'j', 'down', 'l', 'right'], hint: 'next', help: 'Next tile', repeats: true, plain: true },
    previous: {
      keys: ['shift+tab', 'k', 'up', 'h', 'left'],
      help: 'Previous tile',
      repeats: true,
      plain: true,
    },
    open: { keys: ['enter', 'o'], hint: 'open', help: 'Open what the tile is about', plain: true },
    refresh: { keys: ['r'], help: 'Read everything again', word: 'refresh' },
  },
  errlog: {
    follow: { keys: ['f'], hint: 'follow', help: 'Go to the newest and follow', word: 'follow' },
    pause: { keys: ['='], hint: 'pause', help: 'Pause, or go on', word: 'pause' },
    levelMore: { keys: ['}'], help: 'Show the next milder level too', word: 'milder' },
    levelLess: { keys: ['{'], help: 'Show only more severe levels', word: 'severe' },
    nextError: { keys: ['e'], hint: 'next error', help: 'Next error or worse', repeats: true, plain: true },
    previousError: { keys: ['E'], help: 'Previous error or worse', repeats: true, plain: true },
    nextWarning: { keys: ['w'], help: 'Next warning', repeats: true, plain: true },
    previousWarning: { keys: ['W'], help: 'Previous warning', repeats: true, plain: true },
    bySource: { keys: ['b s'], help: 'Only from this source', word: 'only-source' },
    byLevel: { keys: ['b l'], help: 'Only of this level', word: 'only-level' },
    byApp: { keys: ['b a'], help: 'Only of this application', word: 'only-app' },
    byRequest: { keys: ['b r'], help: 'Only of one request, by its id', word: 'request' },
    clearFilter: { keys: ['b b'], help: 'Show everything again', word: 'all' },
  },
  agents: {
    logs: {
      keys: ['b l'],
      help: "Errors that name this agent's host",
      word: 'agent-logs',
      access: contract.errlog.list.access,
    },
  },
  apiTokens: {
    create: {
      keys: ['a'],
      hint: 'add',
      help: 'Issue a new token',
      word: 'add',
      access: apiToken.create.access,
      changes: true,
    },
    edit: {
      keys: ['e'],
      hint: 'edit',
      help: 'Rename the token or change its expiry',
      word: 'edit',
      access: apiToken.update.access,
      changes: true,
    },
    extend: {
      keys: ['E'],
      help: 'Extend the token, or the marked ones',
      word: 'extend',
      access: apiToken.update.access,
      changes: true,
    },
    rotate: {
      keys: ['R'],
      help: 'Give the token a new secret',
      word: 'rotate',
      access: apiToken.rotate.access,
      changes: true,
    },
    toggle: {
      keys: ['t'],
      help: 'Disable the token, or enable it again',
      word: 'toggle',
      access: apiToken.disable.access,
      changes: true,
    },
    remove: {
      keys: ['D', 'delete'],
      hint: 'delete…',
      help: 'Delete the token, or the marked ones; asks first',
      word: 'delete',
      access: apiToken.remove.access,
      changes: true,
    },
  },
  users: {
    create: { keys: ['a'], hint: 'add', help: 'Make a user', word: 'add', access: user.create.access, changes: true },
    edit: {
      keys: ['e'],
      hint: 'edit',
      help: 'Rename the user or change the role',
      word: 'edit',
      access: user.update.access,
      changes: true,
    },
    password: {
      keys: ['p'],
      help: 'Give the user a new password',
      word: 'password',
      access: user.update.access,
      changes: true,
    },
    toggle: {
      keys: ['t'],
      help: 'Disable the user, or enable them again',
      word: 'toggle',
      access: user.update.access,
      changes: true,
    },
    unlock: {
      keys: ['U'],
      help: 'Forget the failed sign-ins of the user',
      word: 'unlock',
      access: user.unlock.access,
      changes: true,
    },
    endSessions: {
      keys: ['K'],
      help: 'End all sessions of the user; asks first',
      word: 'end-sessions',
      access: user.endSessions.access,
      changes: true,
    },
    resetSecondFactor: {
      keys: ['T'],
      help: 'Turn off the second factor of the user; asks first',
      word: 'reset-2fa',
      access: user.resetSecondFactor.access,
      changes: true,
    },
    policy: {
      keys: ['O'],
      help: 'Which roles must have a second factor',
      word: 'policy',
      access: user.updatePolicy.access,
      changes: true,
    },
    remove: {
      keys: ['D', 'delete'],
      hint: 'delete…',
      help: 'Delete the user; asks first',
      word: 'delete',
      access: user.remove.access,
      changes: true,
    },
  },
  audit: {
    verify: {
      keys: ['V'],
      hint: 'verify',
      help: 'Check that nothing was changed or taken out',
      word: 'verify',
      access: audit.verify.access,
    },
    more: { keys: ['M'], help: 'Read older entries', word: 'more' },
  },
  account: {
    password: {
      keys: ['p'],
      hint: 'password',
      help: 'Change the own password',
      word: 'password',
      access: user.changePassword.access,
      changes: true,
    },
    secondFactor: {
      keys: ['t'],
      hint: 'second factor',
      help: 'Set up the second factor, or turn it off',
      word: '2fa',
      access: user.beginSecondFactor.access,
      changes: true,
    },
    end: {
      keys: ['D', 'delete'],
      hint: 'end…',
      help: 'End the session; asks first',
      word: 'delete',
      access: user.removeSession.access,
      changes: true,
    },
    endOthers: {
      keys: ['K'],
      help: 'End all other sessions; asks first',
      word: 'end-others',
      access: user.removeOtherSessions.access,
      changes: true,
    },
  },
  messages: {
    clear: { keys: ['X'], help: 'Forget the messages', word: 'clear' },
  },
  requests: {
    clear: { keys: ['X'], help: 'Forget the requests', word: 'clear' },
  },
  profiles: {
    use: { keys: ['u'], hint: 'use', help: 'Connect to this server', word: 'use' },
    create: { keys: ['a'], hint: 'add', help: 'Add a server', word: 'add' },
    edit: { keys: ['e'], hint: 'edit', help: 'Change the profile', word: 'edit' },
    remove: { keys: ['D', 'delete'], hint: 'delete…', help: 'Forget the server; asks first', word: 'delete' },
  },
  settings: {
    change: { keys: ['e'], hint: 'change', help: 'Take the next value', word: 'change' },
  },
} as const satisfies Record<string, Record<string, Binding>>;
