import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { alert, channelOf, HOSTILE_TEXT, hostileAlert, messageOf } from '../../../../test/messages.ts';
import type { OpenChannel } from '../transport.ts';
import { connectionSettings, createEmail, type EmailOptions } from './email.ts';
import { emailContent } from './email-content.ts';

const channel = (...recipients: string[]): OpenChannel => channelOf('email', { url: '', recipients });
const never = new AbortController().signal;

describe('emailContent', () => {
  const contentOf = (data: unknown, recipients = ['ada@example.org']) =>
    emailContent(channel(...recipients), messageOf('alert.firing', data), 'qd@example.org');

  it('has a text for people', () => {
    expect(contentOf(alert).text).toBe(`FIRING: shop: 340 errors within 5 min

Error: ERROR in shop: upstream <ip> timed out
Count: 340 since 08:08 UTC, 68 a minute, usually 0.4
Hosts: 2 of 40: web-7, web-8
Suspected change: ${alert.cause?.sentence} (strong)
Rule: Shop errors

  disk is full
  timed out

Alert: https://qd.example.org/a/7
Error: https://qd.example.org/e/17
Runbook: https://wiki.example.org/runbooks/shop

-- 
Sent by Quarterdeck to the channel ops.
`);
  });

  it('is readable on a phone, in the dark, and loads nothing', () => {
    const html = String(contentOf(alert).html);
    expect(html).toContain('<meta name="viewport" content="width=device-width,initial-scale=1">');
    expect(html).toContain('<meta name="color-scheme" content="light dark">');
    expect(html).toContain('@media (prefers-color-scheme: dark)');
    expect(html).not.toMatch(/<(?:img|link|script|iframe|table)|url\(|@import|src=|https?:[^"]*\.(?:css|woff2?|png)/);
    // No part is wider than a phone: nothing has a width but the column, which shrinks.
    expect(html.match(/(?<!max-)width:\s*\d/g)).toBeNull();
  });

  it('shows recipients to nobody else', () => {
    expect(contentOf(alert).to).toBe('ada@example.org');
    expect(contentOf(alert, ['ada@example.org', 'bob@example.org']).to).toBe('undisclosed-recipients:;');
  });

  it('escapes and bounds text of logs', () => {
    const {
      subject = '',
      html = '',
      text = '',
    } = contentOf(hostileAlert(`${HOSTILE_TEXT}${'x'.repeat(50_000)}`, { rule: 'r\r\nBcc: x' }));
    expect(subject.length).toBeLessThan(450);
    expect(`${subject}${html}${text}`.replaceAll('\n', '')).not.toMatch(/\p{Cc}|\p{Cf}/u);
    expect(html).not.toContain('<script');
    expect(html).not.toMatch(/<a [^>]*evil/);
    expect(String(html).length).toBeLessThan(20_000);
  });
});

describe('connectionSettings', () => {
  const base: EmailOptions = { host: 'mail.example.org', port: 587, user: undefined, password: undefined, from: '' };

  it.each([
    ['mail.example.org', 587, { secure: false, requireTLS: true, tls: { rejectUnauthorized: true } }],
    ['mail.example.org', 25, { secure: false, requireTLS: true, tls: { rejectUnauthorized: true } }],
    ['mail.example.org', 465, { secure: true, requireTLS: false, tls: { rejectUnauthorized: true } }],
    ['localhost.example.org', 25, { requireTLS: true, tls: { rejectUnauthorized: true } }],
    ['127.0.0.1', 25, { secure: false, requireTLS: false, tls: { rejectUnauthorized: false } }],
    ['::1', 25, { requireTLS: false }],
    ['localhost', 587, { requireTLS: false }],
  ])('need TLS for %s:%i unless it is this host', (host, port, settings) => {
    expect(connectionSettings({ ...base, host, port })).toMatchObject(settings);
  });
});

describe('createEmail', () => {
  /** A mail server without TLS that knows nobody but Ada; returns its port, and the lines that it has read. */
  async function startServer() {
    const lines: string[] = [];
    const server = createServer((socket) => {
      const say = (line: string) => socket.write(`${line}\r\n`);
      let isData = false;
      createInterface({ input: socket }).on('line', (line) => {
        lines.push(line);
        if (isData && line !== '.') return;
        if (line.startsWith('RCPT')) say(line.includes('ada@') ? '250 ok' : '550 5.1.1 no such user');
        else say(line === 'DATA' ? '354 go ahead' : '250 ok');
        isData = line === 'DATA';
      });
      say('220 mail.example.org');
    });
    server.listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    return { port: (server.address() as AddressInfo).port, lines };
  }

  function sendTo(port: number, recipient: string) {
    const options = { host: '127.0.0.1', port, user: undefined, password: undefined, from: 'qd@example.org' };
    const email = createEmail(options);
    onTestFinished(() => email.close());
    return email.send(channel(recipient), messageOf('alert.firing', alert, 'msg_a'), never);
  }

  it('sends a mail, with an id that stays the same', async () => {
    const { port, lines } = await startServer();
    expect(await sendTo(port, 'ada@example.org')).toEqual({ ok: true, status: 250 });
    expect(lines).toEqual(
      expect.arrayContaining([
        'MAIL FROM:<qd@example.org>',
        'RCPT TO:<ada@example.org>',
        'Subject: [Quarterdeck] FIRING: shop: 340 errors within 5 min',
        'Message-ID: <msg_a@example.org>',
      ]),
    );
  });

  it('tells what is refused for good, and that a server cannot be reached', async () => {
    expect(await sendTo((await startServer()).port, 'nobody@example.org')).toEqual({
      ok: false,
      status: 550,
      error: '127.0.0.1 refused the message: 550 5.1.1 no such user',
      isRefused: true,
    });
    expect(await sendTo(1, 'ada@example.org')).toMatchObject({
      ok: false,
      error: '127.0.0.1 could not be reached (ECONNREFUSED).',
    });
  });
});
