// Commands about error groups.
import { type Command, endpointOf, type Flag, type Noun } from '../command/command.ts';
import { CHANGE_FLAGS, DRY_RUN, fieldFlags, LIST_FLAGS, SERVER_FLAGS } from '../command/flags.ts';
import { fieldsOf } from '../command/output-fields.ts';
import type { ListSource } from '../run/rows.ts';
import { get, list, printFlags } from './build.ts';
import { grouping } from './grouping.ts';

const LIST: ListSource = { endpoint: 'errlog.list' };

/** Filters that select groups for a change; the order of the list selects nothing. */
const SELECTION: readonly Flag[] = [
  ...LIST_FLAGS.filter(({ name }) => name !== 'limit'),
  ...fieldFlags(endpointOf('errlog.list').query, ['filter', 'sort', 'rollup']),
];

const UNTIL: Flag = {
  name: 'until',
  type: 'text',
  placeholder: 'end',
  about: 'End of the mute: 1h, 7d, 100x, 100x/1h or forever; default forever',
};

/** A change of the state of groups. */
function stateChange(
  state: 'resolved' | 'muted' | 'ongoing',
  texts: { readonly about: string; readonly verb: string; readonly done: string; readonly examples: readonly string[] },
): Command {
  const flags = state === 'muted' ? [UNTIL] : [];
  return {
    about: texts.about,
    args: '[id...]',
    argsAbout: 'Ids of groups; - reads them from standard input; none: those of the filters',
    flags: [
      ...flags,
      ...SELECTION,
      ...CHANGE_FLAGS,
      ...printFlags([...fieldsOf('errlog.update'), ...fieldsOf('errlog.bulk')]),
    ],
    examples: texts.examples,
    async run(invocation) {
      const { runBulk } = await import('../run/bulk.ts');
      const until = invocation.values['until'];
      const change = { state, ...(until === undefined ? {} : { until }) };
      return runBulk(invocation, {
        endpoint: 'errlog.bulk',
        list: LIST,
        single: 'errlog.update',
        singleBody: change,
        change,
        unit: 'error group',
        verb: texts.verb,
        done: texts.done,
      });
    },
  };
}

const note: Command = {
  about: 'Write the note of an error group',
  args: '<id> <text>',
  argsAbout: 'Id of the group, and its note; - reads the note from standard input, "" removes it',
  flags: [DRY_RUN, ...printFlags(fieldsOf('errlog.update'))],
  examples: [
    'errors note 12 "known; fixed with the next release"',
    'git log -1 --format=%B | quarterdeck errors note 12 -',
  ],
  run: async (invocation) => (await import('../run/note.ts')).runNote(invocation, 'errlog.update'),
};

const changes: Command = {
  about: endpointOf('errlog.changes').summary,
  args: '<id>',
  argsAbout: 'Id of the group',
  flags: [
    ...fieldFlags(endpointOf('errlog.changes').query),
    { name: 'limit', type: 'number', placeholder: 'n', about: 'Changes per window; default 20' },
    ...printFlags([...fieldsOf('errlog.changes', 'windows[].changes[]'), ...fieldsOf('errlog.changes')]),
  ],
  examples: ['errors changes 12', 'errors changes 12 --within 6h -o json'],
  run: async (invocation) => (await import('../run/error-changes.ts')).runErrorChanges(invocation),
};

const EXPORT_FORMAT: Flag = {
  name: 'format',
  type: 'text',
  placeholder: 'format',
  values: ['ndjson', 'csv'],
  about: 'ndjson or csv; default ndjson',
};
const TO: Flag = {
  name: 'to',
  type: 'text',
  placeholder: 'file',
  about: 'Write to this file; default standard output',
};

/** An export of error groups or of lines. */
export function exportCommand(what: 'errors' | 'lines'): Command {
  const endpoint = what === 'errors' ? 'errlog.list' : 'line.list';
  const unit = what === 'errors' ? 'error groups' : 'lines';
  return {
    about: `Export all ${unit} of a filter, none missing or repeated`,
    flags: [
      EXPORT_FORMAT,
      TO,
      ...LIST_FLAGS.filter(({ name }) => name === 'filter' || name === 'since'),
      ...fieldFlags(endpointOf(endpoint).query, ['filter', 'sort', 'rollup', 'before', 'after']),
      ...SERVER_FLAGS,
    ],
    examples: [`${what} export --since 7d --format csv --to ${what}.csv`],
    run: async (invocation) => (await import('../run/export.ts')).runExport(invocation, what),
  };
}

const send: Command = {
  about: 'Send log lines: an argument each, or standard input as text, NDJSON or a JSON array',
  args: '[text...]',
  argsAbout: 'Lines; none: those of standard input',
  flags: [
    ...fieldFlags(endpointOf('errlog.append').query),
    {
      name: 'level',
      type: 'level',
      placeholder: 'level',
      about: 'Level of lines that have none; default error',
    },
    { name: 'host', type: 'text', about: 'Host of lines that have none' },
    { name: 'service', type: 'text', about: 'Service of lines that have none' },
    { name: 'fields', type: 'pairs', about: 'Fields of all lines: name=value' },
    ...printFlags(fieldsOf('errlog.append', 'preview[]')),
  ],
  examples: [
    'errors send --service backup "disk full"',
    'journalctl -o cat -u shop | quarterdeck errors send --service shop --level warn',
  ],
  run: async (invocation) => (await import('../run/send.ts')).runSend(invocation),
};

export const errors: Noun = {
  about: 'Error groups: equal errors of a source',
  fallback: 'list',
  verbs: {
    list: list({
      ...LIST,
      columns: ['id', 'level', 'state', 'count', 'log_time', 'host', 'service', 'log'],
      wide: ['first_seen', 'until', 'note', 'fingerprint'],
      examples: [
        'errors list --since 1h --level-max error',
        'errors list --filter \'"timed out" host:web*\' -o json',
        'errors list --all -o csv --columns id,count,log',
        "errors list --jq 'group_by(.service) | map({service: .[0].service, count: (map(.count) | add)})'",
      ],
    }),
    get: get({ endpoint: 'errlog.get', examples: ['errors get 12', 'errors get 12 -o yaml'] }),
    lines: list({
      endpoint: 'line.list',
      byId: 'group',
      argsAbout: 'Id of the group',
      about: 'Stored lines of an error group, newest first',
      columns: ['time', 'host', 'service', 'log'],
      wide: ['id', 'level', 'req_id', 'count'],
      examples: ['errors lines 12 --since 1h', 'errors lines 12 -o wide --limit 5'],
    }),
    histogram: get({
      endpoint: 'errlog.histogram',
      byId: false,
      examples: ["errors histogram --start-time 1d --jq '.buckets[] | [.time, .count] | @csv'"],
    }),
    facets: get({ endpoint: 'errlog.facets', byId: false, examples: ['errors facets --jq .services'] }),
    changes,
    resolve: stateChange('resolved', {
      about: 'Resolve error groups',
      verb: 'Resolve',
      done: 'Resolved',
      examples: ['errors resolve 12', "errors resolve --filter 'service:shop since:7d' --dry-run"],
    }),
    mute: stateChange('muted', {
      about: 'Mute error groups',
      verb: 'Mute',
      done: 'Muted',
      examples: ['errors mute 12 --until 7d', 'errors mute --filter \'"timed out"\' --until 100x/1h --yes'],
    }),
    reopen: stateChange('ongoing', {
      about: 'Reopen resolved or muted error groups',
      verb: 'Reopen',
      done: 'Reopened',
      examples: ['errors reopen 12'],
    }),
    note,
    ...grouping,
    export: exportCommand('errors'),
    send,
  },
};
