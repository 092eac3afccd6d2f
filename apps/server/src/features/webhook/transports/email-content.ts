// The headers and the two forms of the text of an e-mail.
import type { SendMailOptions } from 'nodemailer';
import type { OpenChannel, StoredMessage } from '../transport.ts';
import { emailHtml } from './email-html.ts';
import { oneLine } from './message-text.ts';
import { plainSections } from './plain-text.ts';
import { readSummary } from './summary.ts';

/** Most characters of the name of a channel. */
const NAME_MAX = 100;

/**
 * Formats a message. Its Message-ID is the same in each attempt, so that mail servers and readers recognise a repeated
 * one. Several recipients do not see each other: a channel may have those of different companies.
 */
export function emailContent(channel: OpenChannel, message: StoredMessage, from: string): SendMailOptions {
  const { name, recipients } = channel;
  const { messageId, createdMs } = message;
  const summary = readSummary(message, channel);
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
    text: `${[summary.heading, ...plainSections(summary, true)].join('\n\n')}\n\n-- \n${footer}\n`,
    html: emailHtml(summary, footer),
  };
}
