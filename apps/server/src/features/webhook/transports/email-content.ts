// The headers and the two forms of the text of an e-mail.
import type { SendMailOptions } from 'nodemailer';
import type { OpenChannel, StoredMessage } from '../transport.ts';
import { escapeWithin, oneLine } from './message-text.ts';
import { readSummary, type Summary } from './summary.ts';

const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeHtml = (text: string) => escapeWithin(text, ESCAPES, 10_000);

/** Most characters of the name of a channel. */
const NAME_MAX = 100;

function plainText({ heading, facts, examples, url }: Summary, footer: string): string {
  const sections = [
    heading,
    facts.map(({ name, value }) => `${name}: ${value}`).join('\n'),
    examples.map((line) => `  ${line}`).join('\n'),
    url ?? '',
  ];
  return `${sections.filter((text) => text !== '').join('\n\n')}\n\n-- \n${footer}\n`;
}

function html({ heading, facts, examples, url }: Summary, footer: string): string {
  const rows = facts.map(
    ({ name, value }) => `<tr><th align="left">${escapeHtml(name)}</th><td>${escapeHtml(value)}</td></tr>`,
  );
  return [
    '<!doctype html><html><body>',
    `<p><strong>${escapeHtml(heading)}</strong></p>`,
    rows.length === 0 ? '' : `<table>${rows.join('')}</table>`,
    ...examples.map((line) => `<pre>${escapeHtml(line)}</pre>`),
    url === undefined ? '' : `<p><a href="${escapeHtml(url)}">Open in Quarterdeck</a></p>`,
    `<p><small>${escapeHtml(footer)}</small></p>`,
    '</body></html>',
  ].join('\n');
}

/**
 * Formats a message. Its Message-ID is the same in each attempt, so that mail servers and readers recognise a repeated
 * one. Several recipients do not see each other: a channel may have those of different companies.
 */
export function emailContent(
  { name, recipients }: OpenChannel,
  { messageId, createdMs, body }: StoredMessage,
  from: string,
): SendMailOptions {
  const summary = readSummary(body);
  const footer = `Sent by Quarterdeck to the channel ${oneLine(name, NAME_MAX)}.`;
  const domain = from.slice(from.lastIndexOf('@') + 1);
  const [first = '', ...others] = recipients;
  return {
    from: { name: 'Quarterdeck', address: from },
    to: others.length === 0 ? first : 'undisclosed-recipients:;',
    subject: `[Quarterdeck] ${summary.heading}`,
    messageId: `<${messageId}@${domain}>`,
    date: new Date(createdMs),
    // No automatic answers, such as those of people on holiday (RFC 3834).
    headers: { 'Auto-Submitted': 'auto-generated' },
    text: plainText(summary, footer),
    html: html(summary, footer),
  };
}
