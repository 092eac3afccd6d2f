import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { WEBHOOK_KINDS } from '@quarterdeck/core';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import { nonEmpty } from '../../../../../../test/non-empty.ts';
import { alert, channelOf, messageOf } from '../../../../test/messages.ts';
import { VERSION } from '../../../process/version.ts';
import { createTransports, type TransportsOptions } from './transports.ts';

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const never = new AbortController().signal;

function transportsWith(options: Partial<TransportsOptions['config']> = {}, resolve?: TransportsOptions['resolve']) {
  const smtp = {
    smtpHost: undefined,
    smtpPort: 587,
    smtpUser: undefined,
    smtpPassword: undefined,
    smtpFrom: undefined,
  };
  const config = { webhookAllow: '', ...smtp, ...options };
  const transports = createTransports({ config, now: Date.now, ...(resolve === undefined ? {} : { resolve }) });
  onTestFinished(() => transports.close());
  return transports;
}

/** Starts a receiver on this host, which takes everything. */
async function receiver() {
  const requests: { url: string; headers: Record<string, string>; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const { url = '', headers } = request;
    requests.push({ url, headers: headers as Record<string, string>, body: await text(request) });
    response.end('ok');
  });
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`, requests };
}

describe('send', () => {
  it.each(nonEmpty(WEBHOOK_KINDS.filter((kind) => kind !== 'email')))('sends JSON to %s', async (kind) => {
    const { url, requests } = await receiver();
    const { send } = transportsWith({ webhookAllow: '127.0.0.1' });
    const channel = channelOf(kind, { url, secrets: [SECRET] });
    expect(await send(channel, messageOf('alert.test', alert), never)).toMatchObject({ ok: true, status: 200 });
    expect(requests).toHaveLength(1);
    const [{ body = '', headers = {} } = {}] = requests;
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': `Quarterdeck/${VERSION}` });
    expect(() => JSON.parse(body)).not.toThrow();
    if (kind === 'standard') expect(new Webhook(SECRET).verify(body, headers)).toEqual(JSON.parse(body));
  });

  it('reaches no address of this host unless the settings allow it', async () => {
    const { url, requests } = await receiver();
    const { send } = transportsWith();
    expect(await send(channelOf('slack', { url }), messageOf('alert.firing', alert), never)).toEqual({
      ok: false,
      status: null,
      error: '127.0.0.1 is not public. Allow it with QUARTERDECK_WEBHOOK_ALLOW, or use another address.',
    });
    expect(requests).toEqual([]);
  });

  it('needs a mail server for e-mail', async () => {
    const { send, hasEmail } = transportsWith();
    expect(hasEmail).toBe(false);
    expect(transportsWith({ smtpHost: 'mail.example.org', smtpFrom: 'qd@example.org' }).hasEmail).toBe(true);
    const channel = channelOf('email', { url: '', recipients: ['ada@example.org'] });
    expect(await send(channel, messageOf('alert.firing', alert), never)).toEqual({
      ok: false,
      status: null,
      error: 'No mail server is set. Set QUARTERDECK_SMTP_HOST.',
    });
  });
});

describe('refusalOf', () => {
  it.each([
    ['http://localhost:9093/', ['127.0.0.1'], 'localhost has the address 127.0.0.1, which is not public.'],
    ['http://[::1]/', [], '::1 is not public.'],
    ['https://hooks.example.org/', ['93.184.215.14', 'fd00::1'], 'hooks.example.org has the address fd00::1, which'],
    ['https://hooks.example.org/', ['93.184.215.14'], undefined],
    ['https://hooks.example.org/', ['10.1.2.3'], undefined],
  ])('judges %s with %j', async (url, addresses, refusal) => {
    const resolve = async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    const found = await transportsWith({ webhookAllow: '10.1.0.0/16' }, resolve).refusalOf(url);
    expect(found).toEqual(refusal === undefined ? undefined : expect.stringContaining(refusal));
  });

  it('accepts a name that does not exist now', async () => {
    const transports = transportsWith({}, () => Promise.reject(new Error('ENOTFOUND')));
    expect(await transports.refusalOf('https://later.example.org/')).toBeUndefined();
  });

  it('resolves names as the system does', async () => {
    expect(await transportsWith().refusalOf('http://localhost/')).toContain('is not public');
  });
});
