// Keys of the screens about users and their credentials.
import { contract } from '@quarterdeck/core';
import type { Binding } from '@quarterdeck/views/keys';
import { calls } from './calls.ts';

const { apiToken, user } = contract;

/** Scopes of the screens about users and their credentials. */
export const ACCOUNT_KEYS = {
  apiTokens: {
    create: {
      keys: ['a'],
      hint: 'add',
      help: 'Issue a token',
      word: 'add',
      ...calls(apiToken.create),
    },
    edit: {
      keys: ['e'],
      hint: 'edit',
      help: 'Rename the token or change its expiry',
      word: 'edit',
      ...calls(apiToken.update),
      row: true,
    },
    extend: {
      keys: ['E'],
      help: 'Extend the token, or the marked ones',
      word: 'extend',
      ...calls(apiToken.update),
      row: true,
    },
    rotate: {
      keys: ['ctrl+r'],
      help: 'Give the token a new secret; asks first',
      word: 'rotate',
      ...calls(apiToken.rotate),
      row: true,
    },
    narrow: {
      keys: ['W'],
      help: 'Limit the token to the permissions that it has used; asks first',
      word: 'narrow',
      ...calls(apiToken.narrow),
      row: true,
    },
    toggle: {
      keys: ['T'],
      help: 'Disable or enable the token, or the marked ones; asks first',
      word: 'toggle',
      ...calls(apiToken.disable),
      row: true,
    },
    remove: {
      keys: ['D', 'delete'],
      hint: 'delete…',
      help: 'Delete the token, or the marked ones; asks first',
      word: 'delete',
      ...calls(apiToken.remove),
      row: true,
    },
  },
  users: {
    create: { keys: ['a'], hint: 'add', help: 'Create a user', word: 'add', ...calls(user.create) },
    edit: {
      keys: ['e'],
      hint: 'edit',
      help: 'Rename the user or change the role',
      word: 'edit',
      ...calls(user.update),
      row: true,
    },
    password: {
      keys: ['p'],
      help: 'Set a new password',
      word: 'password',
      ...calls(user.resetSecondFactor),
      row: true,
    },
    toggle: {
      keys: ['T'],
      help: 'Disable or enable the user; asks first',
      word: 'toggle',
      ...calls(user.update),
      row: true,
    },
    unlock: {
      keys: ['A'],
      help: 'Unlock the user: clear the failed sign-ins; asks first',
      word: 'unlock',
      ...calls(user.unlock),
      row: true,
    },
    endSessions: {
      keys: ['K'],
      help: 'End all sessions of the user; asks first',
      word: 'end-sessions',
      ...calls(user.endSessions),
      row: true,
    },
    resetSecondFactor: {
      keys: ['Y'],
      help: 'Turn off the second factor of the user; asks first',
      word: 'reset-2fa',
      ...calls(user.resetSecondFactor),
      row: true,
    },
    policy: {
      keys: [],
      help: 'Set which roles require a second factor',
      word: 'policy',
      ...calls(user.updatePolicy),
    },
    remove: {
      keys: ['D', 'delete'],
      hint: 'delete…',
      help: 'Delete the user; asks first',
      word: 'delete',
      ...calls(user.remove),
      row: true,
    },
  },
  account: {
    password: {
      keys: ['p'],
      hint: 'password',
      help: 'Change your password',
      word: 'password',
      ...calls(user.changePassword),
    },
    secondFactor: {
      keys: ['Y'],
      hint: 'second factor',
      help: 'Set up or turn off the second factor',
      word: '2fa',
      ...calls(user.beginSecondFactor),
    },
    end: {
      keys: ['D', 'delete'],
      hint: 'end…',
      help: 'End the session; asks first',
      word: 'delete',
      ...calls(user.removeSession),
      row: true,
    },
    endOthers: {
      keys: ['K'],
      help: 'End all other sessions; asks first',
      word: 'end-others',
      ...calls(user.removeOtherSessions),
    },
  },
} as const satisfies Record<string, Record<string, Binding>>;
