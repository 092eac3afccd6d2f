// The messages that a person on call would get of real incidents: as text, and as the page of an e-mail.
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { call } from '../api.ts';
import { built } from '../built.ts';
import type { Program } from '../processes.ts';

const { emailContent } = await built('apps/server/dist/features/webhook/transports/email-content.js');

/** Settings of a server whose messages are collected. */
export const COLLECTING = {
  QUARTERDECK_WEBHOOK_ALLOW: '127.0.0.0/8',
  QUARTERDECK_PUBLIC_URL: 'https://quarterdeck.example.org',
};

const CHANNEL = {
  id: 1,
  name: 'on-call',
  kind: 'email' as const,
  url: '',
  recipients: ['a@example.org'],
  secrets: [],
  settings: {},
  prefix: '',
  parts: [],
};

/** A message as a channel gets it. */
interface Message {
  readonly type: string;
  readonly data: { readonly id: number };
}

/** Collects the messages of a rule about new errors. */
export async function collectMessages(server: Program, headers: Record<string, string>) {
  const messages: { readonly body: string; readonly message: Message }[] = [];
  const receiver = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      messages.push({ body, message: JSON.parse(body) as Message });
      res.writeHead(204).end();
    });
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const post = (path: string, body: unknown) =>
    call(server, path, { method: 'POST', headers, body: JSON.stringify(body) });
  const { id } = (await post('/admin-api/webhook', { name: 'on-call', url })).data as { readonly id: number };
  const when = { kind: 'errlog.new' };
  await post('/admin-api/alert', { name: 'new errors', when, filter: 'level:>=error', channels: [id] });
  return {
    /** Writes the latest message of each alert into a folder: `N.txt` and `N.html`; and all of them as JSON. */
    write(folder: string): void {
      receiver.close();
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'messages.json'), JSON.stringify(messages.map(({ message }) => message)));
      const latest = new Map(
        messages.filter(({ message }) => message.type !== 'alert.resolved').map((one) => [one.message.data.id, one]),
      );
      for (const [alert, { body, message }] of latest) {
        const stored = {
          messageId: 'msg',
          type: message.type,
          createdMs: Date.now(),
          attempt: 1,
          alertId: alert,
          body,
        };
        const { subject, text, html } = emailContent(CHANNEL, stored, 'qd@example.org');
        writeFileSync(join(folder, `${alert}.txt`), `${subject}\n\n${text}`);
        writeFileSync(join(folder, `${alert}.html`), String(html));
      }
    },
  };
}
