// Commands that correct the grouping of errors.
import { type Command, endpointOf } from '../command/command.ts';
import { CHANGE_FLAGS } from '../command/flags.ts';
import { fieldsOf } from '../command/output-fields.ts';
import { get, list, printFlags } from './build.ts';

const merge: Command = {
  about: endpointOf('errlog.merge').summary,
  args: '<id...>',
  argsAbout: 'Ids of groups, the one that takes the others in first; - reads them from standard input',
  flags: [...CHANGE_FLAGS, ...printFlags(fieldsOf('errlog.merge'))],
  examples: ['errors merge 12 17', 'errors merge 12 17 --dry-run'],
  run: async (invocation) => (await import('../run/previewed-change.ts')).runMerge(invocation),
};

const split: Command = {
  about: endpointOf('errlog.split').summary,
  args: '<id> <line...>',
  argsAbout: 'Id of the group, and ids of some of its lines: errors lines ID -o wide',
  flags: [...CHANGE_FLAGS, ...printFlags(fieldsOf('errlog.split'))],
  examples: ['errors split 12 4711', 'errors split 12 4711 4715 --dry-run'],
  run: async (invocation) => (await import('../run/previewed-change.ts')).runSplit(invocation),
};

const rule: Command = {
  about: 'Make a rule for later lines, or delete one; before, the lines of the last day that match are shown',
  args: '<action> <text>',
  argsAbout: 'group, ignore or delete, and the filter of the lines',
  flags: [...CHANGE_FLAGS, ...printFlags([...fieldsOf('errlog.addRule', 'groups[]'), ...fieldsOf('errlog.addRule')])],
  examples: [
    String.raw`errors rule group 'service:shop /payment by (\w+) failed/' --dry-run`,
    `errors rule ignore 'service:nginx "health check"' --yes`,
    `errors rule delete 'service:nginx "health check"'`,
  ],
  run: async (invocation) => (await import('../run/previewed-change.ts')).runRule(invocation),
};

/** Commands of the noun `errors`. */
export const grouping = {
  merge,
  split,
  rule,
  rules: list({
    endpoint: 'errlog.rules',
    time: 'created',
    columns: ['id', 'action', 'text', 'created_by', 'created'],
    examples: ['errors rules'],
  }),
  history: get({
    endpoint: 'errlog.history',
    rows: fieldsOf('errlog.history', 'data[]'),
    examples: ['errors history 12'],
  }),
};
