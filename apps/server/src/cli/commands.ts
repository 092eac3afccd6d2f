// All commands, in the order of the help. The code of a command is loaded when it runs: help and usage errors need none
// of the server.
import type { Command } from './command.ts';

export const COMMANDS: readonly Command[] = [
  {
    name: 'user unlock',
    parameters: ['NAME'],
    summary: 'Let a user sign in again who is blocked after failed sign-ins',
    run: async (call) => await (await import('./user-unlock.ts')).unlockUser(call),
  },
  {
    name: 'user reset-password',
    parameters: ['NAME'],
    summary: 'Give a user a new password and end their sessions; a second factor stays on',
    options: {
      'password-stdin': {
        type: 'boolean',
        help: 'read it from standard input; otherwise one is generated and printed',
      },
    },
    run: async (call) => await (await import('./user-reset-password.ts')).resetPassword(call),
  },
  {
    name: 'user reset-2fa',
    parameters: ['NAME'],
    summary: 'Turn off the second factor of a user who lost it, and end their sessions',
    run: async (call) => await (await import('./user-reset-2fa.ts')).resetSecondFactor(call),
  },
  {
    name: 'token create',
    parameters: [],
    summary: 'Issue an API token; its secret is printed once, alone on standard output',
    options: {
      user: { type: 'string', value: 'NAME', help: 'whose token it is (required)' },
      name: { type: 'string', value: 'TEXT', help: 'what it is for (required)' },
      scopes: { type: 'string', value: 'A,B', help: "permissions it may use (default all of its owner's)" },
      expire: { type: 'string', value: 'WHEN', help: '90d, never, or a date such as 2030-12-31' },
      cidr: { type: 'string', value: 'A,B', help: 'address blocks it may be used from (default any)' },
    },
    run: async (call) => await (await import('./token-create.ts')).createToken(call),
  },
  {
    name: 'token generate',
    parameters: [],
    summary: 'Print a new secret for the bootstrap file; it is not stored and not valid yet',
    run: async (call) => await (await import('./token-generate.ts')).generateToken(call),
  },
  {
    name: 'audit verify',
    parameters: [],
    summary: 'Check that no entry of the audit log was changed or removed',
    run: async (call) => await (await import('./audit-verify.ts')).verifyAuditLog(call),
  },
  {
    name: 'errlog retention',
    parameters: [],
    summary: 'Show what the next round of retention would delete because of age, and delete nothing',
    run: async (call) => await (await import('./errlog-retention.ts')).showRetention(call),
  },
  {
    name: 'backup',
    parameters: ['FILE'],
    summary: 'Copy the SQLite database to a new file, also while the server is running',
    run: async (call) => await (await import('./backup.ts')).backup(call),
  },
  {
    name: 'compact',
    parameters: [],
    summary: 'Give the unused space of the SQLite database back to the system; stop the server first',
    run: async (call) => await (await import('./compact.ts')).compact(call),
  },
];
