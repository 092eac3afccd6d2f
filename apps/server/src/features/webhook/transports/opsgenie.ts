// Opsgenie by its Alert API (https://docs.opsgenie.com/docs/alert-api): an alert is created, acknowledged and closed
// under one alias.

import { type HttpKind, jsonOf, urlBelow } from './channel-kind.ts';
import type { Answer, Post, Reading } from './http-post.ts';
import { alertKey, textOf } from './message-data.ts';
import { plainSections, withinCharacters } from './message-text.ts';
import { type MessageState, readSummary } from './summary.ts';
import type { OpenChannel, StoredMessage } from './transport.ts';

const MESSAGE_MAX = 130;
const DESCRIPTION_MAX = 15_000;
const NOTE_MAX = 25_000;

const PRIORITIES = { critical: 'P1', error: 'P2', warning: 'P3', info: 'P5' } as const;

/** State of the alert -> what is done to the alert of this alias. */
const VERBS: Partial<Readonly<Record<MessageState, string>>> = {
  updated: 'notes',
  acknowledged: 'acknowledge',
  resolved: 'close',
};

/** Formats a message as a request to Opsgenie. */
function post(channel: OpenChannel, message: StoredMessage): Post {
  const { key = '' } = channel.settings;
  const summary = readSummary(message, channel);
  const { heading, title, state, severity } = summary;
  const text = plainSections(summary, true).join('\n\n');
  const alias = alertKey(message);
  const verb = VERBS[state];
  const body =
    verb === undefined
      ? {
          message: withinCharacters(`${channel.prefix} ${title}`.trim(), MESSAGE_MAX),
          alias,
          description: withinCharacters(text, DESCRIPTION_MAX),
          priority: state === 'test' ? PRIORITIES.info : PRIORITIES[severity],
          source: 'Quarterdeck',
          tags: ['quarterdeck'],
        }
      : { note: withinCharacters([heading, text].filter(Boolean).join('\n\n'), NOTE_MAX), source: 'Quarterdeck' };
  const url = urlBelow(channel.url, `/v2/alerts${verb === undefined ? '' : `/${encodeURIComponent(alias)}/${verb}`}`);
  if (verb !== undefined) url.searchParams.set('identifierType', 'alias');
  const headers = { authorization: `GenieKey ${key}` };
  return { url, headers, body: JSON.stringify(body), secrets: [key], receipt: alias };
}

function read({ text }: Answer): Reading {
  const { result, message } = jsonOf(text);
  return { answer: textOf(result) || textOf(message) || undefined };
}

export const opsgenie: HttpKind = {
  later: { types: ['alert.updated', 'alert.acknowledged', 'alert.resolved'], endless: true, amends: true },
  post,
  read,
};
