// Keys of the screens about users and their credentials.
import { contract } from '@quarterdeck/core';
import type { Binding } from '@quarterdeck/views/keys';
import { calls, create, edit, onRow, remove, rotate, toggle } from './calls.ts';

const { apiToken, user } = contract;

/** Scopes of the screens about users and their credentials. */
export const ACCOUNT_KEYS = {
  apiTokens: {
    create: create(apiToken.create, 'Issue a token'),
    edit: edit(apiToken.update, 'Rename the token or change its expiry'),
    extend: { keys: ['E'], help: 'Extend the token, or the marked ones', word: 'extend', ...onRow(apiToken.update) },
    rotate: rotate(apiToken.rotate, 'Give the token a new secret; asks first'),
    narrow: {
      keys: ['W'],
      help: 'Limit the token to the permissions that it has used; asks first',
      word: 'narrow',
      ...onRow(apiToken.narrow),
    },
    toggle: toggle(apiToken.disable, 'Disable or enable the token, or the marked ones; asks first'),
    remove: remove(apiToken.remove, 'Delete the token, or the marked ones; asks first'),
  },
  users: {
    create: create(user.create, 'Create a user'),
    edit: edit(user.update, 'Rename the user or change the role'),
    password: { keys: ['p'], help: 'Set a new password', word: 'password', ...onRow(user.resetSecondFactor) },
    toggle: toggle(user.update, 'Disable or enable the user; asks first'),
    unlock: {
      keys: ['A'],
      help: 'Unlock the user: clear the failed sign-ins; asks first',
      word: 'unlock',
      ...onRow(user.unlock),
    },
    endSessions: {
      keys: ['K'],
      help: 'End all sessions of the user; asks first',
      word: 'end-sessions',
      ...onRow(user.endSessions),
    },
    resetSecondFactor: {
      keys: ['Y'],
      help: 'Turn off the second factor of the user; asks first',
      word: 'reset-2fa',
      ...onRow(user.resetSecondFactor),
    },
    policy: {
      keys: [],
      help: 'Set which roles require a second factor',
      word: 'policy',
      ...calls(user.updatePolicy),
    },
    remove: remove(user.remove, 'Delete the user; asks first'),
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
    end: remove(user.removeSession, 'End the session; asks first', 'end…'),
    endOthers: {
      keys: ['K'],
      help: 'End all other sessions; asks first',
      word: 'end-others',
      ...calls(user.removeOtherSessions),
    },
  },
} as const satisfies Record<string, Record<string, Binding>>;
