import { contract, ROLES } from '@quarterdeck/core';
import { expect, it } from 'vitest';
import { type Caller, refusalOf } from './rights.ts';

const caller = (role: keyof typeof ROLES, over: Partial<Caller> = {}): Caller => ({
  role,
  permissions: ROLES[role],
  credential: { kind: 'session' },
  must_set_up_second_factor: false,
  ...over,
});
const token = { kind: 'api_token' } as const;
const resolve = { access: contract.errlog.bulk.access, changes: true as const };
const users = { access: contract.user.list.access };
const reset = { access: contract.user.resetSecondFactor.access, changes: true as const };
const password = { access: contract.user.changePassword.access };

it.each([
  ['the role with the fewest permissions that has it', resolve, caller('viewer'), 'Needs the role operator.'],
  ['the only role that has it', users, caller('operator'), 'Needs the role master.'],
  [
    'the scope that a token lacks',
    resolve,
    caller('operator', { permissions: ['errlog:read'], credential: token }),
    'This token lacks the scope errlog:manage.',
  ],
  ['the role of the owner of a token', resolve, caller('viewer', { credential: token }), 'Needs the role operator.'],
  [
    'the sign-in that a token cannot replace',
    password,
    caller('master', { credential: token }),
    'Needs a sign-in with a password; this is an API token.',
  ],
  [
    'the sign-in that changes of users need',
    reset,
    caller('master', { credential: token }),
    'Needs a sign-in with a password; this is an API token.',
  ],
  [
    'the second factor that is missing',
    users,
    caller('master', { permissions: [], must_set_up_second_factor: true }),
    'Set up your second factor first.',
  ],
  ['the sign-in', users, null, 'Sign in first.'],
])('names %s', (_, binding, who, reason) => {
  expect(refusalOf(binding, who, false)).toBe(reason);
});

it('refuses changes in a read-only profile', () => {
  expect(refusalOf(resolve, caller('operator'), true)).toBe('This profile is read-only.');
  expect(refusalOf(users, caller('master'), true)).toBeNull();
});

it('refuses nothing that the user may run', () => {
  expect(refusalOf(resolve, caller('operator'), false)).toBeNull();
  expect(refusalOf({}, null, true)).toBeNull();
});
