import { describe, expect, it } from 'vitest';
import { alert, channelOf, HOSTILE_TEXT, hostileAlert, messageOf, NO_LINKS } from '../../../../test/messages.ts';
import { teams } from './teams.ts';

const postOf = (data: unknown) => teams.post(channelOf('teams'), messageOf('alert.firing', data), 0);
const cardOf = (data: unknown) => JSON.parse(postOf(data).body).attachments[0].content;

describe('teams', () => {
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
    expect(texts.slice(0, 2)).toEqual([
      'FIRING: shop: 340 errors within 5 min',
      'Error: ERROR in shop: upstream <ip> timed out',
    ]);
    expect(texts.slice(-2)).toEqual(['disk is full', 'timed out']);
    expect(actions).toEqual([
      { type: 'Action.OpenUrl', title: 'Alert', url: alert.links.alert },
      { type: 'Action.OpenUrl', title: 'Error', url: alert.links.error },
      { type: 'Action.OpenUrl', title: 'Runbook', url: alert.links.runbook },
    ]);
  });

  it('has text of logs only where Teams reads no Markdown', () => {
    const { body, actions, msteams } = cardOf(hostileAlert(HOSTILE_TEXT, { links: NO_LINKS }));
    for (const { type, inlines } of body) {
      expect(type).toBe('RichTextBlock');
      for (const inline of inlines) expect(inline.type).toBe('TextRun');
    }
    // Without entities, <at> mentions nobody.
    expect(msteams).toEqual({ width: 'Full' });
    expect(actions).toEqual([]);
  });

  it('stays within the 28 KB of a message', () => {
    const text = '漢"'.repeat(5_000);
    const detail = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`${text}${i}`, text]));
    const data = { ...alert, what: null, title: text, detail: { ...detail, examples: [`1${text}`, `2${text}`] } };
    const link = `https://qd.example.org/?${'x'.repeat(1970)}`;
    const links = { alert: link, error: link, change: link, runbook: link, issue: link };
    expect(Buffer.byteLength(postOf({ ...data, links }).body)).toBeLessThan(28_000);
    expect(Buffer.byteLength(postOf(hostileAlert(text, { links })).body)).toBeLessThan(28_000);
  });
});
