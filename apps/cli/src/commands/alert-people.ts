// Commands about one alert: read it, acknowledge it, assign it, mute it.
import type { Command, Flag } from '../command/command.ts';
import { CHANGE_FLAGS } from '../command/flags.ts';
import { fieldsOf } from '../command/output-fields.ts';
import { printFlags } from './build.ts';

const IDS = 'Ids of alerts; - reads them from standard input';

const show: Command = {
  about: 'Show an alert as its message: error, counts, hosts, suspected change, newest lines, people, links',
  args: '<id>',
  argsAbout: 'Id of the alert',
  flags: printFlags(fieldsOf('alert.instance')),
  examples: ['alerts show 12', 'alerts show 12 -o json', "alerts show 12 --jq '.cause.sentence'"],
  run: async (invocation) => (await import('../run/alert-people.ts')).runShow(invocation),
};

const acknowledge: Command = {
  about: 'Acknowledge alerts: they are not sent again until they end',
  aliases: ['acknowledge'],
  args: '<id...>',
  argsAbout: IDS,
  flags: [
    { name: 'note', type: 'text', about: 'A note for those who look later: what you do about it' },
    ...CHANGE_FLAGS,
    ...printFlags(fieldsOf('alert.acknowledge')),
  ],
  examples: ['alerts ack 12', 'alerts ack 12 13 --note "rolling back" --yes'],
  run: async (invocation) => (await import('../run/alert-people.ts')).runAcknowledge(invocation),
};

const ASSIGNEE: readonly Flag[] = [
  { name: 'me', type: 'flag', about: 'Assign it to yourself' },
  { name: 'nobody', type: 'flag', about: 'Take it from whoever works on it' },
];

const assign: Command = {
  about: 'Assign an alert to a user',
  args: '<id> [user]',
  argsAbout: 'Id of the alert, and the name or the id of a user; names need the permission to list users',
  flags: [...ASSIGNEE, ...CHANGE_FLAGS, ...printFlags(fieldsOf('alert.assign'))],
  examples: ['alerts assign 12 --me', 'alerts assign 12 anna', 'alerts assign 12 --nobody'],
  run: async (invocation) => (await import('../run/alert-people.ts')).runAssign(invocation),
};

const UNTIL: Flag = {
  name: 'until',
  type: 'text',
  placeholder: 'end',
  about:
    'End of the mute: 1h, 7d, forever, a date or an ISO time; for alerts about errors also 100x or 100x/1h; required',
};

const mute: Command = {
  about: 'Mute alerts with their groups of errors',
  args: '<id...>',
  argsAbout: IDS,
  flags: [UNTIL, ...CHANGE_FLAGS, ...printFlags(fieldsOf('alert.mute'))],
  examples: ['alerts mute 12 --until 2h', 'alerts mute 12 --until 2027-01-31', 'alerts mute 12 --until 100x/1h'],
  run: async (invocation) => (await import('../run/alert-people.ts')).runMute(invocation),
};

const unmute: Command = {
  about: 'End the mute of alerts and of their groups of errors',
  args: '<id...>',
  argsAbout: IDS,
  flags: [...CHANGE_FLAGS, ...printFlags(fieldsOf('alert.mute'))],
  examples: ['alerts unmute 12'],
  run: async (invocation) => (await import('../run/alert-people.ts')).runUnmute(invocation),
};

/** The verbs about one alert. */
export const alertPeople = { show, ack: acknowledge, assign, mute, unmute };
