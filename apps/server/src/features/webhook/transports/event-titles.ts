// One line for people about each event that a channel can get without a rule.
import type { EventType } from '@quarterdeck/core';
import { expiryOf, levelOf, type MessageData, textOf, timeOf } from './message-data.ts';

const errorTitle = (what: string) => (data: MessageData) => {
  const where = textOf(data['host']) || textOf(data['source']);
  return `${what}${where && ` on ${where}`}: ${levelOf(data['level'])} ${textOf(data['log'])}`;
};

const agentTitle = (what: string) => (data: MessageData) =>
  `Agent ${textOf(data['hostname']) || textOf(data['node_id']) || textOf(data['id'])} ${what}`;

function outageTitle({ lost, ended }: MessageData): string {
  return typeof ended === 'number'
    ? `An outage of ${textOf(lost)} agents ended`
    : `${textOf(lost)} agents stopped reporting at once`;
}

function changeTitle({ kind, name, before, after }: MessageData): string {
  const values = [textOf(before), textOf(after)].filter((value) => value !== '').join(' → ');
  return `Change: ${textOf(kind)} of ${textOf(name)} ${values}`;
}

const tokenOf = ({ name, id }: MessageData) => `API token ${textOf(name) || textOf(id)}`;

/** The last use of a token; nothing where it is unknown, as in an event of an earlier version. */
function lastUseOf({ last_used: time, last_address: address }: MessageData): string {
  if (time === null) return ', never used';
  return typeof time === 'number' ? `, last used ${timeOf(time)} from ${textOf(address)}` : '';
}

/** Types of events beside those of alerts, and of lines, which no channel gets. */
type TitledType = Exclude<EventType, `alert.${string}` | 'line' | 'line.missed'>;

/** Type of an event -> its line. */
const TITLES: Readonly<Record<TitledType, (data: MessageData) => string>> = {
  'errlog.new': errorTitle('New error'),
  'errlog.repeated': errorTitle('Error again'),
  'errlog.regressed': errorTitle('Resolved error again'),
  'errlog.changed': errorTitle('Error changed'),
  'agent.registered': agentTitle('was registered'),
  'agent.online': agentTitle('reports again'),
  'agent.offline': agentTitle('stopped reporting'),
  'agent.changed': agentTitle('changed'),
  'agent.removed': agentTitle('was deleted'),
  'agent.outage': outageTitle,
  'change.created': changeTitle,
  'token.expiring': (data) => `${tokenOf(data)} expires on ${expiryOf(data['expire'])}${lastUseOf(data)}`,
  'token.reused': (data) => `A replaced secret of ${tokenOf(data)} was used from ${textOf(data['address'])}`,
  'token.revoked': (data) => `${tokenOf(data)} was changed, disabled or deleted`,
  'user.revoked': ({ id }) => `User ${textOf(id)} was changed, disabled or signed out`,
  resync: ({ reason }) => `Events were lost: ${textOf(reason)}`,
};

/** One line about an event; its type where the type is unknown. */
export const eventTitle = (type: string, data: MessageData): string =>
  Object.hasOwn(TITLES, type) ? TITLES[type as TitledType](data) : type;
