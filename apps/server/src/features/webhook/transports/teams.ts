// Workflows of Microsoft Teams: an Adaptive Card.
import type { OpenChannel, StoredMessage } from '../transport.ts';
import type { Post } from './http-post.ts';
import { readSummary } from './summary.ts';

interface TextRun {
  readonly type: 'TextRun';
  readonly text: string;
  readonly weight?: 'Bolder';
  readonly size?: 'Medium';
  readonly fontType?: 'Monospace';
}

/** Text that Teams shows as it is: unlike the text of a TextBlock, that of a TextRun is no Markdown. */
const run = (text: string, style: Omit<TextRun, 'type' | 'text'> = {}): TextRun => ({
  type: 'TextRun',
  text,
  ...style,
});

const block = (...inlines: TextRun[]) => ({ type: 'RichTextBlock', inlines });

/** Formats a message for Teams. */
export function teamsPost({ url }: OpenChannel, { body }: StoredMessage): Post {
  const { heading, facts, examples, url: link } = readSummary(body);
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    msteams: { width: 'Full' },
    body: [
      block(run(heading, { weight: 'Bolder', size: 'Medium' })),
      ...facts.map(({ name, value }) => block(run(`${name}: `, { weight: 'Bolder' }), run(value))),
      ...examples.map((line) => block(run(line, { fontType: 'Monospace' }))),
    ],
    actions: link === undefined ? [] : [{ type: 'Action.OpenUrl', title: 'Open', url: link }],
  };
  const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content };
  return { url: new URL(url), body: JSON.stringify({ type: 'message', summary: heading, attachments: [attachment] }) };
}
