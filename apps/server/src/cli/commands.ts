// All commands, in the order of the help. The code of a command is loaded when it runs: help and usage errors need none
// of the server.
import type { Command } from './command.ts';

export const COMMANDS: readonly Command[] = [
  {
    name: 'user unlock',
    onData: true,
    parameters: ['NAME'],
    summary: 'Let a user sign in again who is blocked after failed sign-ins',
    run: async (call) => await (await import('./user.ts')).unlockUser(call),
  },
  {
    name: 'user reset-password',
    onData: true,
    parameters: ['NAME'],
    summary: 'Give a user a new password and end their sessions; a second factor stays on',
    options: {
      'password-stdin': {
        type: 'boolean',
        help: 'read it from standard input; otherwise one is generated and printed',
      },
    },
    run: async (call) => await (await import('./user.ts')).resetPassword(call),
  },
  {
    name: 'user reset-2fa',
    onData: true,
    parameters: ['NAME'],
    summary: 'Turn off the second factor of a user who lost it, and end their sessions',
    run: async (call) => await (await import('./user.ts')).resetSecondFactor(call),
  },
  {
    name: 'token create',
    onData: true,
    parameters: [],
    summary: 'Issue an API token; its secret is printed once, alone on standard output',
    options: {
      user: { type: 'string', value: 'NAME', help: 'whose token it is (required)' },
      name: { type: 'string', value: 'TEXT', help: 'what it is for (required)' },
      scopes: { type: 'string', value: 'A,B', help: "permissions it may use (default all of its owner's)" },
      expire: { type: 'string', value: 'WHEN', help: '90d, never, or a date such as 2030-12-31' },
      cidr: { type: 'string', value: 'A,B', help: 'address blocks it may be used from (default any)' },
    },
    run: async (call) => await (await import('./token.ts')).createToken(call),
  },
  {
    name: 'token generate',
    parameters: [],
    summary: 'Print a new secret for the bootstrap file; it is not stored and not valid yet',
    run: async (call) => await (await import('./token-generate.ts')).generateToken(call),
  },
  {
    name: 'audit verify',
    onData: true,
    parameters: [],
    summary: 'Check that no entry of the audit log was changed or removed',
    run: async (call) => await (await import('./audit.ts')).verifyAuditLog(call),
  },
  {
    name: 'config check',
    parameters: [],
    summary: 'Check the settings and print them with the origin of each; secrets are masked',
    options: { json: { type: 'boolean', help: 'print JSON' } },
    run: async (call) => await (await import('./config-check.ts')).checkConfig(call),
  },
  {
    name: 'health',
    parameters: [],
    summary: 'Ask the running server whether it is ready, for at most 3 seconds; exits with 1 if it is not',
    options: {
      live: { type: 'boolean', help: 'ask whether it is alive; a server without its database or that drains is' },
      url: { type: 'string', value: 'URL', help: 'address of the server (default that of the settings, on this host)' },
    },
    run: async (call) => await (await import('./health.ts')).showHealth(call),
  },
  {
    name: 'audit export',
    onData: true,
    parameters: [],
    summary: 'Print the audit log as NDJSON, the oldest entry first, with the hashes of its chain',
    options: { after: { type: 'string', value: 'ID', help: 'only entries with an id above: where an export goes on' } },
    run: async (call) => await (await import('./audit.ts')).exportAuditLog(call),
  },
  {
    name: 'audit check',
    parameters: ['FILE'],
    summary: 'Check an exported audit log with the keys of the data folder, without the database',
    run: async (call) => await (await import('./audit.ts')).checkAuditFile(call),
  },
  {
    name: 'key rotate',
    onData: true,
    parameters: [],
    summary: 'Create a new secret.key and use it; what is under the key before stays valid, and moves as it is used',
    run: async (call) => await (await import('./key.ts')).rotateSecretKey(call),
  },
  {
    name: 'key status',
    onData: true,
    parameters: [],
    summary: 'Show the keys that are accepted, and what is still under another key than the one in use',
    run: async (call) => await (await import('./key.ts')).showKeyStatus(call),
  },
  {
    name: 'key drop-old',
    onData: true,
    parameters: [],
    summary: 'Accept the key before the rotation no more; refuses while something in use is under it',
    options: {
      force: { type: 'boolean', help: 'end what is still under that key: sessions, tokens, agents, recovery codes' },
    },
    run: async (call) => await (await import('./key.ts')).dropOldKey(call),
  },
  {
    name: 'errlog retention',
    onData: true,
    parameters: [],
    summary: 'Show what the next round of retention would delete because of age, and delete nothing',
    run: async (call) => await (await import('./errlog-retention.ts')).showRetention(call),
  },
  {
    name: 'backup verify',
    parameters: ['FILE'],
    summary: 'Check the files of a backup and its seal; with QUARTERDECK_BACKUP_PASSPHRASE also its key',
    run: async (call) => await (await import('./backup.ts')).verifyBackup(call),
  },
  {
    name: 'backup',
    // Only the server knows whether another backup is running; a path is for the person who gives it.
    onData: ([file]) => file === undefined,
    parameters: ['[FILE]'],
    summary: 'Make a backup, also while the server is running; without FILE in QUARTERDECK_BACKUP_DIR',
    run: async (call) => await (await import('./backup.ts')).backup(call),
  },
  {
    name: 'restore',
    parameters: ['FILE'],
    summary: 'Put the data of a backup in the place of the present ones, which are kept; stop the server first',
    options: {
      'accept-unsigned': {
        type: 'boolean',
        help: 'restore a backup without a valid seal, such as a plain database file',
      },
      'dry-run': { type: 'boolean', help: 'restore it beside the present data, open it, and drop it again' },
    },
    run: async (call) => await (await import('./backup.ts')).restore(call),
  },
  {
    name: 'db move',
    parameters: [],
    summary: 'Copy everything from SQLite to an empty PostgreSQL database, or back, and compare; stop the server first',
    options: {
      'to-env': { type: 'string', value: 'NAME', help: 'variable with the address of the PostgreSQL database' },
      'to-file': { type: 'string', value: 'FILE', help: 'new SQLite file; its name must be quarterdeck.db' },
    },
    run: async (call) => await (await import('./db-move.ts')).moveData(call),
  },
  {
    name: 'repair',
    parameters: [],
    summary: 'Rewrite damaged stored lines without what cannot be read, and print what is lost; stop the server first',
    run: async (call) => await (await import('./repair.ts')).repair(call),
  },
  {
    name: 'compact',
    parameters: [],
    summary: 'Give the unused space of the SQLite database back to the system; stop the server first',
    run: async (call) => await (await import('./compact.ts')).compact(call),
  },
];
