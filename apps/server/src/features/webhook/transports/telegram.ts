// Telegram (https://core.telegram.org/bots/api): HTML of a few elements. The token of the bot is in the path of each
// request.

import { AMENDED, type HttpKind, jsonOf, secondsToMs, urlBelow } from './channel-kind.ts';
import type { Fact } from './facts.ts';
import type { Answer, Post, Reading } from './http-post.ts';
import { isData, textOf } from './message-data.ts';
import { escapeWithin } from './message-text.ts';
import { readSummary } from './summary.ts';
import type { OpenChannel, StoredMessage } from './transport.ts';

/** Most escaped characters of the parts of a message, which may have 4096 without its markup. */
const HEADING_MAX = 500;
const FACTS_MAX = 1900;
const LINES_MAX = 1100;
const NOTES_MAX = 400;

const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** An invisible sign behind `@`, and in the scheme of an address, keeps Telegram from making them active. */
const JOINER = '\u2060';
const inactive = (text: string) => text.replaceAll('@', `@${JOINER}`).replaceAll('://', `:${JOINER}//`);
const escapeHtml = (text: string, max: number) => escapeWithin(inactive(text), ESCAPES, max);

/** Facts, each on a line, as far as there is room: half a fact would leave its markup open. */
function factLines(facts: readonly Fact[], max: number): string {
  let left = max;
  const lines: string[] = [];
  for (const { name, value } of facts) {
    const line = `<b>${escapeHtml(name, max)}:</b> ${escapeHtml(value, Math.max(1, left - name.length - 2))}`;
    left -= line.length + 1;
    if (left < 0 && lines.length > 0) break;
    lines.push(line);
  }
  return lines.join('\n');
}

/** Formats a message for Telegram, as a change of the earlier one where there is one in the same chat. */
function post(channel: OpenChannel, message: StoredMessage): Post {
  const { url, settings } = channel;
  const { token = '', chat = '' } = settings;
  const { heading, facts, lines, notes, links, severity } = readSummary(message, channel);
  const [inChat = '', id = ''] = message.earlier?.receipt.split('/') ?? [];
  const isEdit = id !== '' && inChat === chat;
  const sections = [
    [`<b>${escapeHtml(heading, HEADING_MAX)}</b>`, factLines(facts, FACTS_MAX)].filter(Boolean).join('\n'),
    lines.length === 0 ? '' : `<pre>${escapeWithin(lines.join('\n'), ESCAPES, LINES_MAX)}</pre>`,
    factLines(notes, NOTES_MAX),
    links
      .map((link) => `<a href="${escapeWithin(link.url, ESCAPES, Number.POSITIVE_INFINITY)}">${link.title}</a>`)
      .join(' · '),
  ];
  const body = {
    chat_id: chat,
    ...(isEdit ? { message_id: Number(id) } : { disable_notification: severity === 'info' }),
    text: sections.filter((text) => text !== '').join('\n\n'),
    parse_mode: 'HTML',
    link_preview_options: { is_disabled: true },
  };
  return {
    url: urlBelow(url, `/bot${token}/${isEdit ? 'editMessageText' : 'sendMessage'}`),
    body: JSON.stringify(body),
    secrets: [token],
  };
}

function read({ status, text }: Answer, { settings: { chat = '' } }: OpenChannel): Reading {
  const { result, description, parameters } = jsonOf(text);
  const said = textOf(description);
  const id = isData(result) ? textOf(result['message_id']) : '';
  if (status === 200) return id === '' ? {} : { receipt: `${chat}/${id}`, answer: `Message ${id}` };
  return {
    answer: said || undefined,
    // The text of the earlier message is the same.
    isDone: status === 400 && said.includes('message is not modified'),
    isMissing: status === 400 && /message (?:to edit not found|can't be edited)|MESSAGE_ID_INVALID/.test(said),
    retryAfterMs: isData(parameters) ? secondsToMs(parameters['retry_after']) : undefined,
  };
}

export const telegram: HttpKind = { later: AMENDED, post, read };
