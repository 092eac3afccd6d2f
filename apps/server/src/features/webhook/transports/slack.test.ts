import { describe, expect, it } from 'vitest';
import { alert, channelOf, HOSTILE_TEXT, messageOf } from '../../../../test/messages.ts';
import { slackPost } from './slack.ts';

const bodyOf = (type: string, data: unknown) => JSON.parse(slackPost(channelOf('slack'), messageOf(type, data)).body);

const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text, verbatim: true } });

describe('slackPost', () => {
  it('has blocks, and a text for notifications', () => {
    expect(bodyOf('alert.firing', alert)).toEqual({
      text: 'FIRING: shop: 340 errors within 5 min',
      blocks: [
        section('*FIRING: shop: 340 errors within 5 min*'),
        section('*Rule:* Shop errors\n*Kind:* errlog.count\n*Service:* shop\n*Host:* web-7'),
        section('*Level:* ERROR\n*Count:* 340\n*Since:* 2026-11-23 08:08:00 UTC'),
        section('```disk is full\ntimed out```'),
        section('<https://qd.example.org/alert/7?a=1&amp;b=2|Open>'),
      ],
    });
  });

  it('mentions nobody and links nothing, whatever a log says', () => {
    const detail = { host: HOSTILE_TEXT, '<!here>': 'x', examples: [HOSTILE_TEXT] };
    const { text, blocks } = bodyOf('alert.firing', { ...alert, url: undefined, title: HOSTILE_TEXT, detail });
    expect(JSON.stringify({ text, blocks })).not.toMatch(/[<>]/);
    expect(text).toContain('&lt;script&gt;');
    const code = blocks.at(-1).text.text as string;
    expect(code).toContain('&lt;!channel&gt;');
    // The block of code ends at its end only.
    expect(code.slice(3, -3)).not.toContain('`');
  });

  it('stays within the limit of a block', () => {
    const text = '&'.repeat(100_000);
    const detail = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`${'<'.repeat(i + 40)}`, text]));
    const data = { ...alert, title: text, detail: { ...detail, examples: [`1${text}`, `2${text}`, `3${text}`] } };
    const { blocks } = bodyOf('alert.firing', data);
    expect(blocks).toHaveLength(5);
    for (const block of blocks) expect(block.text.text.length).toBeLessThanOrEqual(3000);
  });

  it('escapes the link', () => {
    const { blocks } = bodyOf('alert.firing', { ...alert, url: 'https://qd.example.org/a|b>c?x=<!channel>' });
    expect(blocks.at(-1).text.text).toBe('<https://qd.example.org/a%7Cb%3Ec?x=%3C!channel%3E|Open>');
  });
});
