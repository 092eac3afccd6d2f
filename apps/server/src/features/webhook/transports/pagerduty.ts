// PagerDuty by its Events API v2 (https://developer.pagerduty.com/docs/events-api-v2-overview): an incident for an
// alert, which is triggered, acknowledged and resolved under one key.

import { type HttpKind, jsonOf, urlBelow } from './channel-kind.ts';
import type { Answer, Post, Reading } from './http-post.ts';
import { alertKey, isData, textOf } from './message-data.ts';
import { oneLine, withinCharacters } from './message-text.ts';
import { readSummary } from './summary.ts';
import type { OpenChannel, StoredMessage } from './transport.ts';

const SUMMARY_MAX = 1024;
const NAME_MAX = 255;

const ACTIONS: Readonly<Record<string, string>> = { acknowledged: 'acknowledge', resolved: 'resolve' };

/** Formats a message as an event of PagerDuty. */
function post(channel: OpenChannel, message: StoredMessage): Post {
  const { key: routingKey = '' } = channel.settings;
  const { title, state, severity, facts, lines, notes, links } = readSummary(message, channel);
  const { timestamp, data: given } = JSON.parse(message.body) as { readonly timestamp: string; readonly data: unknown };
  const data = isData(given) ? given : {};
  const what = isData(data['what']) ? data['what'] : {};
  const details = [...facts, ...notes].map(({ name, value }) => [name, value]);
  const key = alertKey(message);
  const named = (value: unknown) => oneLine(textOf(value), NAME_MAX);
  const component = named(what['service']);
  const event = {
    routing_key: routingKey,
    event_action: ACTIONS[state] ?? 'trigger',
    dedup_key: key,
    payload: {
      summary: withinCharacters(`${channel.prefix} ${title}`.trim(), SUMMARY_MAX),
      source: named(what['source']) || 'Quarterdeck',
      severity: state === 'test' ? 'info' : severity,
      timestamp,
      ...(component === '' ? {} : { component }),
      class: named(data['kind']) || message.type,
      custom_details: { ...Object.fromEntries(details), ...(lines.length === 0 ? {} : { lines }) },
    },
    links: links.map(({ title: text, url }) => ({ href: url, text })),
    client: 'Quarterdeck',
    ...(links[0] === undefined ? {} : { client_url: links[0].url }),
  };
  return {
    url: urlBelow(channel.url, '/v2/enqueue'),
    body: JSON.stringify(event),
    secrets: [routingKey],
    receipt: key,
  };
}

function read({ text }: Answer): Reading {
  const { message, errors } = jsonOf(text);
  const all = [textOf(message), ...(Array.isArray(errors) ? errors.map(textOf) : [])].filter((one) => one !== '');
  return { answer: all.join(': ') || undefined };
}

export const pagerduty: HttpKind = {
  later: { types: ['alert.updated', 'alert.acknowledged', 'alert.resolved'], endless: true, amends: true },
  post,
  read,
};
