import { describe, expect, it } from 'vitest';
import { alert, channelOf, HOSTILE_TEXT, hostileAlert, messageOf, NO_LINKS } from '../../../../test/messages.ts';
import { slack } from './slack.ts';

const bodyOf = (type: string, data: unknown) =>
  JSON.parse(slack.post(channelOf('slack'), messageOf(type, data), 0).body);

const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text, verbatim: true } });

describe('slack', () => {
  it('has blocks, and a text for notifications', () => {
    expect(bodyOf('alert.firing', alert)).toEqual({
      text: 'FIRING: shop: 340 errors within 5 min',
      blocks: [
        section('*FIRING: shop: 340 errors within 5 min*'),
        section(
          '*Error:* ERROR in shop: upstream &lt;ip&gt; timed out\n' +
            '*Count:* 340 since 08:08 UTC, 68 a minute, usually 0.4\n' +
            '*Hosts:* 2 of 40: web-7, web-8\n' +
            `*Suspected change:* ${alert.cause?.sentence} (strong)\n` +
            '*Rule:* Shop errors',
        ),
        section('```disk is full\ntimed out```'),
        section(
          '<https://qd.example.org/a/7|Alert>\n<https://qd.example.org/e/17|Error>\n' +
            '<https://wiki.example.org/runbooks/shop|Runbook>',
        ),
      ],
    });
  });

  it('mentions nobody and links nothing, whatever a log says', () => {
    const detail = { host: HOSTILE_TEXT, '<!here>': 'x', examples: [HOSTILE_TEXT] };
    const { text, blocks } = bodyOf('alert.firing', hostileAlert(HOSTILE_TEXT, { links: NO_LINKS, detail }));
    expect(JSON.stringify({ text, blocks })).not.toMatch(/[<>]/);
    expect(text).toContain('&lt;script&gt;');
    const code = blocks.find((block: { text: { text: string } }) => block.text.text.startsWith('```')).text
      .text as string;
    expect(code).toContain('&lt;!channel&gt;');
    // The block of code ends at its end only.
    expect(code.slice(3, -3)).not.toContain('`');
  });

  it('stays within the limit of a block', () => {
    const text = '&'.repeat(100_000);
    const detail = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`${'<'.repeat(i + 40)}`, text]));
    const data = { ...alert, what: null, title: text, detail: { ...detail, examples: [`1${text}`, `2${text}`] } };
    for (const one of [data, hostileAlert(text)]) {
      const { blocks } = bodyOf('alert.firing', one);
      expect(blocks.length).toBeLessThanOrEqual(50);
      for (const block of blocks) expect(block.text.text.length).toBeLessThanOrEqual(3000);
    }
  });

  it('escapes links, and leaves out one without room', () => {
    const link = 'https://qd.example.org/a|b>c?x=<!channel>';
    const links = { ...NO_LINKS, alert: link, error: `https://qd.example.org/?${'&'.repeat(1900)}` };
    const { blocks } = bodyOf('alert.firing', { ...alert, links });
    expect(blocks.at(-1).text.text).toBe('<https://qd.example.org/a%7Cb%3Ec?x=%3C!channel%3E|Alert>');
  });
});
