// A receiver of syslog messages over TCP or TLS in this process.
import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { expect, onTestFinished } from 'vitest';

/** Lets a server of TCP or TLS listen until the end of the test; returns its port and what it has read. */
export async function listenSyslog(server: Server): Promise<{ port: number; text: () => string }> {
  let text = '';
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, text: () => text };
}

/** Ids of the audit entries in messages with octet counting; an incomplete last message is left out. */
export function idsIn(text: string): number[] {
  const ids: number[] = [];
  for (let rest = text; rest !== ''; ) {
    const [length = ''] = rest.split(' ', 1);
    const message = rest.slice(length.length + 1, length.length + 1 + Number(length));
    if (message.length < Number(length)) break;
    expect(message).toMatch(/^<109>1 \d{4}-\d\d-\d\dT[\d:.]+Z \S+ quarterdeck \d+ [\w.]+ \[meta sequenceId="\d+"\] \{/);
    ids.push(JSON.parse(message.slice(message.indexOf('] {') + 2)).id);
    rest = rest.slice(length.length + 1 + Number(length));
  }
  return ids;
}
