// Mail to a real mail server, over TLS.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Authority, makeAuthority } from '../../../../../../test/certificates.ts';
import { findProgram } from '../../../../../../test/programs.ts';
import { MAIL_PASSWORD, MAIL_USER, type MailServer, startMailServer } from '../../../../test/mail-server.ts';
import { alert, channelOf, HOSTILE_TEXT, messageOf } from '../../../../test/messages.ts';
import { createEmail, type EmailOptions } from './email.ts';

const never = new AbortController().signal;

const exim = findProgram('exim4');
const openssl = findProgram('openssl');

/** Address of this host that is not taken for it. */
const OTHER_HOST = '0.0.0.0';

describe.skipIf(exim === undefined || openssl === undefined)('with a real mail server', () => {
  let authority: Authority;
  let server: MailServer;

  beforeAll(async () => {
    authority = makeAuthority(openssl ?? '');
    server = await startMailServer(exim ?? '', authority.issue('mail'));
  });

  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    authority[Symbol.dispose]();
  });

  function emailBy(options: Partial<EmailOptions> = {}) {
    const { port } = server;
    const signIn = { user: MAIL_USER, password: MAIL_PASSWORD };
    const email = createEmail({ host: '127.0.0.1', port, ...signIn, from: 'qd@example.org', ...options });
    onTestFinished(() => email.close());
    const send = (id: string, to: readonly string[], fields: object = {}, signal = never) =>
      email.send(
        channelOf('email', { url: '', recipients: to }),
        messageOf('alert.firing', { ...alert, ...fields }, id),
        signal,
      );
    return {
      send,
      mailsOf: (id: string) => server.mails().filter(({ headers }) => headers['message-id']?.includes(id)),
    };
  }

  it('sends one mail to all recipients over STARTTLS, with an id that stays the same', async () => {
    const { send, mailsOf } = emailBy();
    const to = ['ada@example.org', 'bob@example.org'];
    expect(await send('msg_all', to)).toEqual({ ok: true, status: 250 });
    expect(await send('msg_all', to)).toEqual({ ok: true, status: 250 });
    const [first, second] = mailsOf('msg_all');
    expect(first?.recipients).toEqual(to);
    expect(first?.headers).toMatchObject({
      received: expect.stringContaining('with esmtpsa  (TLS1.3)'),
      from: 'Quarterdeck <qd@example.org>',
      to: '"undisclosed-recipients":;',
      subject: '[Quarterdeck] FIRING: shop: 340 errors within 5 min',
      'message-id': '<msg_all@example.org>',
      'auto-submitted': 'auto-generated',
    });
    expect(first?.body).toContain('\nHosts: 2 of 40: web-7, web-8\n');
    expect(first?.body).not.toContain('ada@');
    expect(second?.headers['message-id']).toBe(first?.headers['message-id']);
  });

  it('keeps text of logs out of headers and recipients', async () => {
    const { send, mailsOf } = emailBy();
    const fields = {
      title: `x\r\nBcc: eve@example.org\r\n\r\n.\r\nMAIL FROM:<eve@example.org>`,
      detail: { log: HOSTILE_TEXT },
    };
    expect(await send('msg_hostile', ['ada@example.org'], fields)).toMatchObject({ ok: true });
    const [mail] = mailsOf('msg_hostile');
    expect(mail?.recipients).toEqual(['ada@example.org']);
    expect(Object.keys(mail?.headers ?? {}).sort()).toEqual(
      [
        'auto-submitted',
        'content-type',
        'date',
        'from',
        'message-id',
        'mime-version',
        'received',
        'subject',
        'to',
      ].sort(),
    );
    expect(mail?.headers['subject']).toContain('x Bcc: eve@example.org . MAIL FROM:');
  });

  it('sends the rest only to the recipients that were refused', async () => {
    const { send, mailsOf } = emailBy();
    const to = ['ada@example.org', 'busy@example.org', 'nobody@example.org'];
    const busy = '127.0.0.1 refused the recipient busy@example.org: 451 4.2.1 mailbox is busy';
    expect(await send('msg_part', to)).toEqual({ ok: false, status: 451, error: busy });
    expect(await send('msg_part', to)).toMatchObject({ ok: false, status: 451 });
    expect(mailsOf('msg_part').map(({ recipients }) => recipients)).toEqual([['ada@example.org']]);
    // Someone corrects the channel.
    expect(await send('msg_part', ['ada@example.org', 'bob@example.org'])).toMatchObject({ ok: true });
    expect(mailsOf('msg_part').map(({ recipients }) => recipients)).toEqual([['ada@example.org'], ['bob@example.org']]);
  });

  it('tells what is refused for good', async () => {
    const { send } = emailBy();
    expect(await send('msg_nobody', ['nobody@example.org'])).toEqual({
      ok: false,
      status: 550,
      error: '127.0.0.1 refused the message: 550 5.1.1 no such user',
      isRefused: true,
    });
    expect(await send('msg_refused', ['ada@example.org'], { title: 'refuse this' })).toMatchObject({
      error: '127.0.0.1 refused the message: 550 5.7.1 content refused',
      isRefused: true,
    });
  });

  it('tells that the sign-in fails, without the password', async () => {
    const password = 'a wrong password 0815';
    const outcome = await emailBy({ password }).send('msg_password', ['ada@example.org']);
    expect(outcome).toEqual({
      ok: false,
      status: 535,
      error: '127.0.0.1 refused the sign-in: 535 Incorrect authentication data',
    });
  });

  it('verifies the certificate of a server that is not on this host', async () => {
    const invalid = (reason: string) => ({
      ok: false,
      status: null,
      error: `The certificate of ${OTHER_HOST} is not valid (${reason}).`,
    });
    const unknown = await emailBy({ host: OTHER_HOST }).send('msg_unknown', ['ada@example.org']);
    expect(unknown).toEqual(invalid('UNABLE_TO_VERIFY_LEAF_SIGNATURE'));
    const named = emailBy({ host: OTHER_HOST, ca: authority.cert });
    expect(await named.send('msg_named', ['ada@example.org'])).toEqual(invalid('ERR_TLS_CERT_ALTNAME_INVALID'));
    expect(server.mails().filter(({ headers }) => /unknown|named/.test(headers['message-id'] ?? ''))).toEqual([]);
  });

  it('refuses a server without STARTTLS that is not on this host', async () => {
    await using plain = await startMailServer(exim ?? '');
    const without = { port: plain.port, user: undefined, password: undefined };
    const outcome = await emailBy({ ...without, host: OTHER_HOST }).send('msg_plain', ['ada@example.org']);
    expect(outcome).toMatchObject({ ok: false, error: expect.stringMatching(/^0\.0\.0\.0 refused STARTTLS: 503/) });
    expect(await emailBy(without).send('msg_plain', ['ada@example.org'])).toMatchObject({ ok: true });
  });

  it('recovers from a server that never answers', async () => {
    const held: Socket[] = [];
    const late = new AbortController();
    const gate = createServer((socket) => {
      held.push(socket);
      if (held.length === 1) {
        late.abort(new DOMException('The time is over.', 'TimeoutError'));
        return;
      }
      const upstream = connect(server.port, '127.0.0.1');
      held.push(upstream);
      socket.pipe(upstream).pipe(socket);
    });
    gate.listen(0, '127.0.0.1');
    await once(gate, 'listening');
    onTestFinished(() => {
      for (const socket of held) socket.destroy();
      gate.close();
    });
    const { send, mailsOf } = emailBy({ port: (gate.address() as AddressInfo).port });
    expect(await send('msg_slow', ['ada@example.org'], {}, late.signal)).toEqual({
      ok: false,
      status: null,
      error: '127.0.0.1 did not take the message in time.',
    });
    expect(await send('msg_slow', ['ada@example.org'])).toMatchObject({ ok: true });
    expect(mailsOf('msg_slow')).toHaveLength(1);
  });
});
