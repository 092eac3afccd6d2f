// Workflows of Microsoft Teams: an Adaptive Card.
import type { OpenChannel, StoredMessage } from '../transport.ts';
import { FOLLOWED_UP, type HttpKind } from './channel-kind.ts';
import type { Fact } from './facts.ts';
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

const factBlock = ({ name, value }: Fact) => block(run(`${name}: `, { weight: 'Bolder' }), run(value));

/** Formats a message for Teams. */
function post(channel: OpenChannel, message: StoredMessage): Post {
  const { heading, facts, lines, notes, links } = readSummary(message, channel);
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    msteams: { width: 'Full' },
    body: [
      block(run(heading, { weight: 'Bolder', size: 'Medium' })),
      ...facts.map(factBlock),
      ...lines.map((line) => block(run(line, { fontType: 'Monospace' }))),
      ...notes.map(factBlock),
    ],
    actions: links.map(({ title, url }) => ({ type: 'Action.OpenUrl', title, url })),
  };
  const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content };
  const body = JSON.stringify({ type: 'message', summary: heading, attachments: [attachment] });
  return { url: new URL(channel.url), body };
}

/** A workflow of Teams sends a new card each time. */
export const teams: HttpKind = { later: FOLLOWED_UP, post };
