// The headers and the two forms of the text of an e-mail.
import type { SendMailOptions } from 'nodemailer';
import type { Fact } from './facts.ts';
import { escapeWithin, oneLine, plainSections } from './message-text.ts';
import { readSummary, type Summary } from './summary.ts';
import type { OpenChannel, StoredMessage } from './transport.ts';

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

const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeHtml = (text: string) => escapeWithin(text, ESCAPES, 12_000);

const STYLE = `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
body { margin: 0; padding: 0; background: #ffffff; color: #1f2328; }
.page { max-width: 600px; margin: 0 auto; padding: 16px; }
a { color: #0a58ca; }
@media (prefers-color-scheme: dark) {
  body, .page { background: #16181c !important; color: #e6e6e6 !important; }
  .line { background: #26292f !important; color: #e6e6e6 !important; }
  .name, .foot { color: #a0a6ae !important; }
  a { color: #79b0ff !important; }
}
@media (max-width: 400px) { .page { padding: 12px !important; } }`;

const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;font-size:16px;line-height:1.45";
const BREAK = 'overflow-wrap:anywhere;word-break:break-word';
const LINE = `margin:0 0 6px;padding:8px;background:#f3f4f6;border-radius:4px;white-space:pre-wrap;${BREAK};font-family:Menlo,Consolas,monospace;font-size:13px`;

const COLORS = { critical: '#b42318', error: '#b42318', warning: '#8a5a00', info: '#0a58ca' } as const;
const GREEN = '#1a7f37';

// A name above its value: beside it there is no room on a phone.
const factHtml = ({ name, value }: Fact) =>
  `<p style="margin:0 0 10px;${BREAK}"><span class="name" style="font-size:13px;color:#5c636a">${escapeHtml(name)}</span><br>${escapeHtml(value)}</p>`;

/**
 * Formats a message as a page: one column that fits a phone, dark where the reader is, and nothing from elsewhere.
 * Rules that a reader must not lose are in `style` attributes too, because some readers drop the element.
 */
function emailHtml({ heading, state, severity, facts, lines, notes, links }: Summary, footer: string): string {
  const color = state === 'resolved' ? GREEN : COLORS[severity];
  const pages = links.map(
    ({ title, url }) =>
      `<a href="${escapeHtml(url)}" style="display:inline-block;padding:8px 16px 8px 0">${escapeHtml(title)}</a>`,
  );
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    '<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">',
    `<title>${escapeHtml(heading)}</title><style>${STYLE}</style></head>`,
    `<body style="margin:0;padding:0"><div class="page" style="max-width:600px;margin:0 auto;padding:16px;${FONT}">`,
    `<h1 style="margin:0 0 16px;padding-left:10px;border-left:4px solid ${color};font-size:19px;${BREAK}">${escapeHtml(heading)}</h1>`,
    ...facts.map(factHtml),
    ...lines.map((line) => `<pre class="line" style="${LINE}">${escapeHtml(line)}</pre>`),
    ...notes.map(factHtml),
    pages.length === 0 ? '' : `<p style="margin:12px 0">${pages.join('\n')}</p>`,
    `<p class="foot" style="margin:16px 0 0;font-size:13px;color:#5c636a;${BREAK}">${escapeHtml(footer)}</p>`,
    '</div></body></html>',
  ]
    .filter((text) => text !== '')
    .join('\n');
}
