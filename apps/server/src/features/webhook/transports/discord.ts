// Webhooks of Discord (https://discord.com/developers/docs/resources/webhook): one embed, which is edited later.

import { AMENDED, type HttpKind, jsonOf, secondsToMs, urlBelow } from './channel-kind.ts';
import type { Fact } from './facts.ts';
import type { Answer, Post, Reading } from './http-post.ts';
import { textOf } from './message-data.ts';
import { escapeWithin } from './message-text.ts';
import { readSummary, type Summary } from './summary.ts';
import type { OpenChannel, StoredMessage } from './transport.ts';

/** Most characters of a title, and of the parts of a description, which may have 4096. */
const TITLE_MAX = 250;
const FACTS_MAX = 2000;
const LINES_MAX = 1100;
const NOTES_MAX = 400;
const LINKS_MAX = 500;

/** Signs of Markdown, of mentions, of times and of addresses. Behind a backslash each is a sign like others. */
const MARKDOWN = Object.fromEntries([...'\\*_~`>|#-[]()<:@'].map((sign) => [sign, `\\${sign}`]));
const escapeText = (text: string, max: number) => escapeWithin(text, MARKDOWN, max);
/** In a block of code only its end has a meaning. */
const CODE = { '`': "'" };

const RED = 0xd73a49;
const COLORS = { critical: RED, error: RED, warning: 0xdbab09, info: 0x0366d6 } as const;
const GREEN = 0x28a745;

const colorOf = ({ state, severity }: Summary): number => (state === 'resolved' ? GREEN : COLORS[severity]);

/** Facts, each on a line, as far as there is room: half a fact might end in half an escape. */
function factLines(facts: readonly Fact[], max: number): string {
  let text = '';
  for (const { name, value } of facts) {
    const left = max - text.length;
    const line = `${text === '' ? '' : '\n'}**${escapeText(name, max)}:** ${escapeText(value, Math.max(1, left - 2 * name.length - 8))}`;
    if (line.length > left) break;
    text += line;
  }
  return text;
}

/** Links of Markdown, as far as there is room. */
function linkLine({ links }: Summary): string {
  const all: string[] = [];
  for (const { title, url } of links) {
    const link = `[${title}](${url.replaceAll('(', '%28').replaceAll(')', '%29')})`;
    if ([...all, link].join(' · ').length <= LINKS_MAX) all.push(link);
  }
  return all.join(' · ');
}

/** Formats a message for Discord, as a change of the earlier one where there is one. */
function post(channel: OpenChannel, message: StoredMessage): Post {
  const summary = readSummary(message, channel);
  const { heading, facts, lines, notes } = summary;
  const code = escapeWithin(lines.join('\n'), CODE, LINES_MAX);
  const sections = [
    factLines(facts, FACTS_MAX),
    code === '' ? '' : `\`\`\`\n${code}\n\`\`\``,
    factLines(notes, NOTES_MAX),
    linkLine(summary),
  ];
  const description = sections.filter((text) => text !== '').join('\n');
  const embed = { title: escapeText(heading, TITLE_MAX), description, color: colorOf(summary) };
  const id = message.earlier?.receipt ?? '';
  const url = id === '' ? new URL(channel.url) : urlBelow(channel.url, `/messages/${encodeURIComponent(id)}`);
  // Without it, the answer does not name the message.
  if (id === '') url.searchParams.set('wait', 'true');
  const body = JSON.stringify({ embeds: [embed], allowed_mentions: { parse: [] } });
  return { method: id === '' ? 'POST' : 'PATCH', url, body };
}

const UNKNOWN_MESSAGE = 10_008;

function read({ status, headers, text }: Answer): Reading {
  const { id, message, code, retry_after: retryAfter } = jsonOf(text);
  if (status === 200) {
    const isUsedUp = headers['x-ratelimit-remaining'] === '0';
    const pauseMs = isUsedUp ? secondsToMs(headers['x-ratelimit-reset-after']) : undefined;
    const receipt = textOf(id);
    return receipt === '' ? { pauseMs } : { receipt, answer: `Message ${receipt}`, pauseMs };
  }
  return {
    answer: textOf(message) || undefined,
    isMissing: status === 404 && code === UNKNOWN_MESSAGE,
    retryAfterMs: secondsToMs(retryAfter) ?? secondsToMs(headers['retry-after']),
  };
}

export const discord: HttpKind = { later: AMENDED, post, read };
