// Commands that call an endpoint, and those that several lists have: the same keys, hint and word for each.
import type { Access } from '@quarterdeck/core';

interface Endpoint {
  readonly access: Access;
  readonly method: string;
}

/** The endpoint's access, and that the command changes something on the server, if it does. */
export const calls = ({ access, method }: Endpoint) => ({
  access,
  ...(method === 'GET' ? {} : { changes: true as const }),
});

/** The same for a command that needs a selected row. */
export const onRow = (endpoint: Endpoint) => ({ ...calls(endpoint), row: true as const });

export const create = (endpoint: Endpoint, help: string) => ({
  keys: ['a'],
  hint: 'add',
  help,
  word: 'add',
  ...calls(endpoint),
});

export const edit = (endpoint: Endpoint, help: string) => ({
  keys: ['e'],
  hint: 'edit',
  help,
  word: 'edit',
  ...onRow(endpoint),
});

export const toggle = (endpoint: Endpoint, help: string) => ({
  keys: ['T'],
  help,
  word: 'toggle',
  ...onRow(endpoint),
});

export const rotate = (endpoint: Endpoint, help: string) => ({
  keys: ['ctrl+r'],
  help,
  word: 'rotate',
  ...onRow(endpoint),
});

export const test = (endpoint: Endpoint, help: string) => ({
  keys: ['V'],
  hint: 'test',
  help,
  word: 'test',
  ...onRow(endpoint),
});

export const remove = (endpoint: Endpoint, help: string, hint = 'delete…') => ({
  keys: ['D', 'delete'],
  hint,
  help,
  word: 'delete',
  ...onRow(endpoint),
});
