import { describe, expect, it } from 'vitest';
import { alert, channelOf, HOSTILE_TEXT, messageOf } from '../../../../test/messages.ts';
import { teamsPost } from './teams.ts';

const postOf = (data: unknown) => teamsPost(channelOf('teams'), messageOf('alert.firing', data));
const cardOf = (data: unknown) => JSON.parse(postOf(data).body).attachments[0].content;

describe('teamsPost', () => {
  it('has an Adaptive Card', () => {
    const { type, summary, attachments } = JSON.parse(postOf(alert).body);
    expect({ type, summary }).toEqual({ type: 'message', summary: 'FIRING: shop: 340 errors within 5 min' });
    expect(attachments).toEqual([
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: expect.objectContaining({ type: 'AdaptiveCard', version: '1.4' }),
      },
    ]);
    const { body, actions } = cardOf(alert);
    const texts = body.map(({ inlines }: { inlines: { text: string }[] }) => inlines.map(({ text }) => text).join(''));
    expect(texts.slice(0, 2)).toEqual(['FIRING: shop: 340 errors within 5 min', 'Rule: Shop errors']);
    expect(texts.slice(-2)).toEqual(['disk is full', 'timed out']);
    expect(actions).toEqual([{ type: 'Action.OpenUrl', title: 'Open', url: alert.url }]);
  });

  it('has text of logs only where Teams reads no Markdown', () => {
    const detail = { host: HOSTILE_TEXT, examples: [HOSTILE_TEXT] };
    const { body, actions, msteams } = cardOf({ ...alert, url: undefined, title: HOSTILE_TEXT, detail });
    for (const { type, inlines } of body) {
      expect(type).toBe('RichTextBlock');
      for (const inline of inlines) expect(inline.type).toBe('TextRun');
    }
    // Without entities, <at> mentions nobody.
    expect(msteams).toEqual({ width: 'Full' });
    expect(actions).toEqual([]);
  });

  it('stays within the 28 KB of a message', () => {
    const text = '漢"'.repeat(50_000);
    const detail = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`${text}${i}`, text]));
    const data = { ...alert, title: text, detail: { ...detail, examples: [`1${text}`, `2${text}`, `3${text}`] } };
    expect(Buffer.byteLength(postOf(data).body)).toBeLessThan(25_000);
  });
});
