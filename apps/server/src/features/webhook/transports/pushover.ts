// Pushover (https://pushover.net/api): a short plain text, and one link.

import { FOLLOWED_UP, type HttpKind, jsonOf, urlBelow } from './channel-kind.ts';
import type { Answer, Post, Reading } from './http-post.ts';
import { textOf } from './message-data.ts';
import { plainSections, withinCharacters } from './message-text.ts';
import { readSummary, type Summary } from './summary.ts';
import type { OpenChannel, StoredMessage } from './transport.ts';

const TITLE_MAX = 250;
const MESSAGE_MAX = 1024;
const URL_MAX = 512;
/** Pushover asks for this time before a request that failed on its side is repeated. */
const AGAIN_MS = 5_000;

/** -1: without a sound; 1: also in the quiet hours of the user. 2 would need an acknowledgement of each. */
const PRIORITIES = { critical: 1, error: 0, warning: 0, info: -1 } as const;

const priorityOf = ({ state, severity }: Summary): number =>
  state === 'firing' || state === 'test' ? PRIORITIES[severity] : PRIORITIES.info;

/** Formats a message for Pushover. */
function post(channel: OpenChannel, message: StoredMessage): Post {
  const { token = '', user = '' } = channel.settings;
  const summary = readSummary(message, channel);
  const { heading, links } = summary;
  const text = plainSections(summary, false).join('\n');
  const page = links.find(({ url }) => url.length <= URL_MAX);
  const body = {
    token,
    user,
    title: withinCharacters(heading, TITLE_MAX),
    message: withinCharacters(text === '' ? heading : text, MESSAGE_MAX),
    priority: priorityOf(summary),
    timestamp: Math.floor(message.createdMs / 1000),
    ...(page === undefined ? {} : { url: page.url, url_title: page.title }),
  };
  return {
    url: urlBelow(channel.url, '/1/messages.json'),
    body: JSON.stringify(body),
    secrets: [token, user],
  };
}

function read({ status, headers, text }: Answer): Reading {
  const { request, errors } = jsonOf(text);
  if (status === 200) return { answer: textOf(request) === '' ? undefined : `Request ${textOf(request)}` };
  const answer = Array.isArray(errors) ? errors.map(textOf).join('; ') : undefined;
  if (status === 429) {
    // The messages of the month are used up.
    const resetMs = Number(headers['x-limit-app-reset']) * 1000 - Date.now();
    return { answer, retryAfterMs: resetMs > 0 ? resetMs : undefined };
  }
  return status >= 500 ? { answer, retryAfterMs: AGAIN_MS } : { answer, isFinal: status >= 400 };
}

export const pushover: HttpKind = { later: FOLLOWED_UP, post, read };
