// Messages for events that concern the user on every screen. Pure.
import { alertKind } from '@quarterdeck/core/plain';
import { clean } from '../text/clean.ts';
import { grouped, plural } from '../text/format.ts';
import type { Message } from '../text/tone.ts';
import type { FeedEvent } from './feed.ts';

/** Longest title of an alert in a message, characters. */
const TITLE_MAX = 200;

const bounded = (text: string): string => clean(text.slice(0, TITLE_MAX)).replace(/\.$/, '');

/** Sentences that lead from a message to more, such as the keys to press. */
export interface MessageWays {
  readonly alerts: readonly string[];
  readonly outages: readonly string[];
}

/** The text for an event; undefined for none. */
function textOf(event: FeedEvent, ways: MessageWays): string | undefined {
  if (event.type === 'token.expiring') {
    const { name, days, last_used: used, last_address: address = '', last_client: client = '' } = event.data;
    const by = client === '' ? '' : ` by ${bounded(client)}`;
    const last = used === null ? ' It was never used.' : ` It was last used from ${clean(address)}${by}.`;
    return `The API token ${clean(name) || '(no name)'} expires in ${plural(days, 'day')}.${used === undefined ? '' : last}`;
  }
  if (event.type === 'token.reused') {
    return `The old secret of the API token ${clean(event.data.name) || '(no name)'} was used from ${clean(event.data.address)}.`;
  }
  if (event.type === 'alert.firing') {
    const { title, rule, parent_id: parent } = event.data;
    if (parent !== null) return undefined;
    return [`${bounded(rule)}: ${bounded(title)}.`, ...ways.alerts].join(' ');
  }
  if (event.type === 'alert.resolved') {
    const { title, kind, parent_id: parent } = event.data;
    // A kind without an end is resolved with its message.
    return parent === null && alertKind(kind).ends ? `Ended: ${bounded(title)}.` : undefined;
  }
  if (event.type === 'agent.outage') {
    const { lost, returned, ended } = event.data;
    if (ended !== null) return `The outage is over: ${grouped(returned)} of ${plural(lost, 'agent')} are back.`;
    if (returned > 0) return undefined;
    return [`${plural(lost, 'agent')} went silent together.`, ...ways.outages].join(' ');
  }
  return undefined;
}

function toneOf(event: FeedEvent): Message['tone'] {
  if (event.type === 'token.reused' || event.type === 'alert.firing') return 'bad';
  if (event.type === 'alert.resolved') return 'good';
  return event.type === 'agent.outage' && event.data.ended !== null ? 'good' : 'warning';
}

/** The message for an event that concerns the user on every screen; undefined for none. */
export function eventMessage(event: FeedEvent, ways: MessageWays): Message | undefined {
  const text = textOf(event, ways);
  return text === undefined ? undefined : { tone: toneOf(event), text };
}
