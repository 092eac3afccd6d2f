// Commands about stored log lines.
import { type Command, endpointOf, type Noun } from '../command/command.ts';
import { CHANGE_FLAGS, fieldFlags, LIST_FLAGS, outputFlags, SERVER_FLAGS } from '../command/flags.ts';
import { fieldsOf, rowFields } from '../command/output-fields.ts';
import { get, list, printFlags } from './build.ts';
import { exportCommand } from './errors.ts';

const COLUMNS = { columns: ['time', 'level', 'host', 'service', 'log'], wide: ['id', 'group', 'req_id', 'count'] };

const tail: Command = {
  about: 'The last lines of a filter, oldest first; with -f also those to come',
  flags: [
    { name: 'follow', short: 'f', type: 'flag', about: 'Print lines as they arrive, until interrupted' },
    { name: 'lines', short: 'n', type: 'number', placeholder: 'n', about: 'Number of lines before; default 10' },
    ...LIST_FLAGS.filter(({ name }) => name === 'filter' || name === 'since'),
    ...fieldFlags(endpointOf('line.list').query, ['filter', 'before', 'after', 'end_time']),
    ...outputFlags(rowFields('line.list')).filter(({ name }) => name !== 'jq' && name !== 'quiet'),
    ...SERVER_FLAGS,
  ],
  examples: ["lines tail -f --filter 'level:>=warn host:web*'", 'lines tail -n 100 --service shop'],
  run: async (invocation) => (await import('../run/tail.ts')).runTail(invocation),
};

const values: Command = {
  about: endpointOf('line.values').summary,
  args: '<field>',
  argsAbout: 'Name of the field in the filter language, such as client or host',
  flags: [
    ...LIST_FLAGS.filter(({ name }) => name === 'filter' || name === 'since'),
    ...fieldFlags(endpointOf('line.values').query, ['filter', 'field']),
    ...printFlags(fieldsOf('line.values', 'values[]')),
  ],
  examples: ['lines values client --since 1h --top 20'],
  run: async (invocation) => (await import('../run/lines.ts')).runValues(invocation),
};

const context: Command = {
  about: endpointOf('line.context').summary,
  args: '<id>',
  argsAbout: 'Id of the line',
  flags: [...fieldFlags(endpointOf('line.context').query), ...printFlags(rowFields('line.context'))],
  examples: ['lines context 81230 --before 20 --after 5'],
  run: async (invocation) => (await import('../run/lines.ts')).runContext(invocation, COLUMNS),
};

const erase: Command = {
  about: endpointOf('line.erase').summary,
  flags: [
    { name: 'filter', type: 'text', placeholder: 'expr', about: 'Lines to erase; required' },
    ...CHANGE_FLAGS,
    ...printFlags(fieldsOf('line.erase')),
  ],
  examples: ['lines erase --filter \'"token=hunter2"\' --dry-run'],
  run: async (invocation) => (await import('../run/lines.ts')).runErase(invocation),
};

export const lines: Noun = {
  about: 'Stored log lines',
  fallback: 'list',
  verbs: {
    list: list({
      endpoint: 'line.list',
      ...COLUMNS,
      examples: ["lines --filter 'level:>=error since:2h'", 'lines --host web-1 --limit 200 -o ndjson'],
    }),
    tail,
    get: get({ endpoint: 'line.get' }),
    context,
    values,
    histogram: get({
      endpoint: 'line.histogram',
      byId: false,
      examples: ["lines histogram --start-time 2h --jq '.buckets[] | [.time, .count] | @csv'"],
    }),
    export: exportCommand('lines'),
    erase,
  },
};
