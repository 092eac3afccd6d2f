// Messages for events that concern the user on every screen.
import { alertKind } from '@quarterdeck/core';
import type { FeedEvent } from '@quarterdeck/views/live';
import { clean, grouped, type Message, plural } from '@quarterdeck/views/text';
import { useDashboard } from './data/dashboard.ts';
import { useEvents } from './data/use-events.ts';
import { type KeyOf, pressTo } from './keys/key-hints.ts';

/** Longest title of an alert in a message, characters. */
const TITLE_MAX = 200;

const bounded = (text: string): string => clean(text.slice(0, TITLE_MAX)).replace(/\.$/, '');

/** The message for an event; undefined for none. */
export function messageOf(event: FeedEvent, keyOf: KeyOf): string | undefined {
  if (event.type === 'token.expiring') {
    return `The API token ${clean(event.data.name) || '(no name)'} expires in ${plural(event.data.days, 'day')}.`;
  }
  if (event.type === 'token.reused') {
    return `The old secret of the API token ${clean(event.data.name) || '(no name)'} was used from ${clean(event.data.address)}.`;
  }
  if (event.type === 'alert.firing') {
    const { title, rule, parent_id: parent } = event.data;
    if (parent !== null) return undefined;
    return [`${bounded(rule)}: ${bounded(title)}.`, ...pressTo(keyOf('app.goAlerts'), 'list alerts')].join(' ');
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
    return [`${plural(lost, 'agent')} went silent together.`, ...pressTo(keyOf('app.goOutages'), 'list outages')].join(
      ' ',
    );
  }
  return undefined;
}

function toneOf(event: FeedEvent): Message['tone'] {
  if (event.type === 'token.reused' || event.type === 'alert.firing') return 'bad';
  if (event.type === 'alert.resolved') return 'good';
  return event.type === 'agent.outage' && event.data.ended !== null ? 'good' : 'warning';
}

/** Shows the messages; draws nothing itself. */
export function EventMessages(): null {
  const { say, keyOf } = useDashboard();
  useEvents((events) => {
    for (const event of events) {
      const text = messageOf(event, keyOf);
      if (text !== undefined) say({ tone: toneOf(event), text });
    }
  });
  return null;
}
