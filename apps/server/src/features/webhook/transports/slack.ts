// Incoming webhooks of Slack: blocks of mrkdwn.
import type { OpenChannel, StoredMessage } from '../transport.ts';
import type { Post } from './http-post.ts';
import { escapeWithin } from './message-text.ts';
import { readSummary } from './summary.ts';

/** Most escaped characters of parts of the text of a block, which may have 3000: six facts, or three lines, fit. */
const TEXT_MAX = 2900;
const NAME_MAX = 60;
const VALUE_MAX = 400;
const LINE_MAX = 900;

/** Without these characters, text can neither mention anyone, nor be a link, nor end a block of code. */
const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '`': "'" };
const escapeText = (text: string, max: number) => escapeWithin(text, ESCAPES, max);

/** A section of mrkdwn; `verbatim` keeps Slack from making names and addresses in it active. */
const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text, verbatim: true } });

/** Formats a message for Slack. */
export function slackPost({ url }: OpenChannel, { body }: StoredMessage): Post {
  const { heading, facts, examples, url: link } = readSummary(body);
  const title = escapeText(heading, TEXT_MAX);
  const lines = facts.map(({ name, value }) => `*${escapeText(name, NAME_MAX)}:* ${escapeText(value, VALUE_MAX)}`);
  const blocks = [section(`*${title}*`)];
  // Two sections, because all facts together may be too long for one.
  const half = Math.ceil(lines.length / 2);
  for (const part of [lines.slice(0, half), lines.slice(half)]) {
    if (part.length > 0) blocks.push(section(part.join('\n')));
  }
  if (examples.length > 0) {
    blocks.push(section(`\`\`\`${examples.map((line) => escapeText(line, LINE_MAX)).join('\n')}\`\`\``));
  }
  if (link !== undefined) blocks.push(section(`<${escapeText(link.replaceAll('|', '%7C'), TEXT_MAX)}|Open>`));
  return { url: new URL(url), body: JSON.stringify({ text: title, blocks }) };
}
