// Incoming webhooks of Slack: blocks of mrkdwn.
import type { OpenChannel, StoredMessage } from '../transport.ts';
import { FOLLOWED_UP, type HttpKind } from './channel-kind.ts';
import type { Fact } from './facts.ts';
import type { Post } from './http-post.ts';
import { escapeWithin } from './message-text.ts';
import { readSummary } from './summary.ts';

/** Most escaped characters of the text of a block, which may have 3000, and of the parts of one. */
const TEXT_MAX = 2900;
const NAME_MAX = 60;
const VALUE_MAX = 1000;
const LINE_MAX = 550;

/** Without these characters, text can neither mention anyone, nor be a link, nor end a block of code. */
const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '`': "'" };
const escapeText = (text: string, max: number) => escapeWithin(text, ESCAPES, max);

/** A section of mrkdwn; `verbatim` keeps Slack from making names and addresses in it active. */
const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text, verbatim: true } });

/** Sections of so many lines as fit into a block each. */
function sectionsOf(lines: readonly string[]) {
  const texts: string[] = [];
  for (const line of lines) {
    const last = texts.at(-1);
    if (last !== undefined && last.length + line.length < TEXT_MAX) texts[texts.length - 1] = `${last}\n${line}`;
    else texts.push(line);
  }
  return texts.map(section);
}

const factLine = ({ name, value }: Fact) => `*${escapeText(name, NAME_MAX)}:* ${escapeText(value, VALUE_MAX)}`;

/** Formats a message for Slack. */
function post(channel: OpenChannel, message: StoredMessage): Post {
  const { heading, facts, lines, notes, links } = readSummary(message, channel);
  const title = escapeText(heading, TEXT_MAX);
  const code = lines.map((line) => escapeText(line, LINE_MAX)).join('\n');
  const pages = links.map((link) => `<${escapeText(link.url.replaceAll('|', '%7C'), TEXT_MAX)}|${link.title}>`);
  const blocks = [
    section(`*${title}*`),
    ...sectionsOf(facts.map(factLine)),
    ...(code === '' ? [] : [section(`\`\`\`${code}\`\`\``)]),
    ...sectionsOf(notes.map(factLine)),
    // A link that was cut would lead elsewhere.
    ...sectionsOf(pages.filter((page) => page.length < TEXT_MAX)),
  ];
  return { url: new URL(channel.url), body: JSON.stringify({ text: title, blocks }) };
}

/** Slack cannot change what an incoming webhook has sent. */
export const slack: HttpKind = { later: FOLLOWED_UP, post };
