// ntfy (https://docs.ntfy.sh/publish): plain text, published as JSON.

import { AMENDED, type HttpKind, jsonOf } from './channel-kind.ts';
import type { Answer, Post, Reading } from './http-post.ts';
import { textOf } from './message-data.ts';
import { plainSections, withinBytes, withinCharacters } from './message-text.ts';
import { type MessageState, readSummary, type Summary } from './summary.ts';
import type { OpenChannel, StoredMessage } from './transport.ts';

/** Most bytes of a message: a longer one becomes an attachment. */
const MESSAGE_MAX = 4000;
const TITLE_MAX = 250;
/** Buttons that ntfy shows at most. */
const ACTIONS_MAX = 3;

const PRIORITIES = { critical: 5, error: 4, warning: 3, info: 2 } as const;
/** News about an alert that is known makes no sound. */
const LOW = 2;
const TAGS: Readonly<Record<MessageState, string>> = {
  firing: 'rotating_light',
  updated: 'mag',
  acknowledged: 'eyes',
  assigned: 'bust_in_silhouette',
  resolved: 'white_check_mark',
  test: 'wave',
  event: 'bell',
};

const priorityOf = ({ state, severity }: Summary): number =>
  state === 'firing' || state === 'test' ? PRIORITIES[severity] : LOW;

/** Formats a message for ntfy. With the same `sequence_id`, clients replace the notification that they show. */
function post(channel: OpenChannel, message: StoredMessage): Post {
  const { url, settings } = channel;
  const { token } = settings;
  const summary = readSummary(message, channel);
  const { heading, state, links } = summary;
  const text = plainSections(summary, false).join('\n\n');
  const [first] = links;
  const body = {
    topic: new URL(url).pathname.replaceAll('/', ''),
    title: withinCharacters(heading, TITLE_MAX),
    message: withinBytes(text === '' ? heading : text, MESSAGE_MAX),
    priority: priorityOf(summary),
    tags: [TAGS[state]],
    ...(first === undefined ? {} : { click: first.url }),
    actions: links.slice(0, ACTIONS_MAX).map(({ title, url: page }) => ({ action: 'view', label: title, url: page })),
    ...(message.earlier?.receipt ? { sequence_id: message.earlier.receipt } : {}),
  };
  return {
    url: new URL('/', url),
    ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
    body: JSON.stringify(body),
    secrets: [body.topic, ...(token === undefined ? [] : [token])],
  };
}

function read({ status, text }: Answer): Reading {
  const { id, sequence_id: sequence, error } = jsonOf(text);
  if (status !== 200) return { answer: textOf(error) || undefined };
  const receipt = textOf(sequence) || textOf(id);
  return receipt === '' ? {} : { receipt, answer: `Message ${receipt}` };
}

export const ntfy: HttpKind = { later: AMENDED, post, read };
