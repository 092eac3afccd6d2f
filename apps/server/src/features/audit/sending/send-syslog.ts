// Sends syslog messages over UDP, TCP or TLS. Syslog has no acknowledgements, so each batch over TCP has its own
// connection: a receiver that closes it without an error has read all of it.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { connect as connectTls } from 'node:tls';
import type { AuditEntry } from '@quarterdeck/core';
import type { SyslogAddress } from '../../../settings/config-values.ts';

const TIMEOUT_MS = 10_000;

/** Sends messages in their order. Rejects where the receiver has not, or may not have, received all of them. */
export const sendSyslog = (address: SyslogAddress, messages: readonly string[]): Promise<void> =>
  address.transport === 'udp' ? sendDatagrams(address, messages) : sendStream(address, messages);

async function sendDatagrams({ host, port }: SyslogAddress, messages: readonly string[]): Promise<void> {
  const socket = createSocket(isIP(host) === 6 ? 'udp6' : 'udp4');
  try {
    // A connected socket learns that nobody listens on the port, mostly with the datagram after.
    socket.on('error', () => undefined);
    socket.connect(port, host);
    await once(socket, 'connect');
    for (const message of messages) {
      await new Promise<void>((resolve, reject) => {
        socket.send(message, (error) => (error === null ? resolve() : reject(error)));
      });
    }
  } finally {
    socket.close();
  }
}

async function sendStream({ transport, host, port }: SyslogAddress, messages: readonly string[]): Promise<void> {
  const socket =
    transport === 'tls' ? connectTls({ host, port, servername: serverName(host) }) : connectTcp(port, host);
  // An error is seen where the next event is awaited.
  socket.on('error', () => undefined);
  try {
    await within(socket, once(socket, transport === 'tls' ? 'secureConnect' : 'connect'));
    // Octet counting (RFC 6587, RFC 5425).
    socket.end(messages.map((message) => `${Buffer.byteLength(message)} ${message}`).join(''));
    // Discards what the receiver sends: unread data would keep the connection open.
    socket.resume();
    await within(socket, once(socket, 'close'));
  } finally {
    socket.destroy();
  }
}

/** An address has no server name. */
const serverName = (host: string): string => (isIP(host) === 0 ? host : '');

async function within<T>(socket: Socket, event: Promise<T>): Promise<T> {
  const timer = setTimeout(() => {
    const error = Object.assign(new Error('the receiver does not answer'), { code: 'ETIMEDOUT' });
    socket.destroy(error);
  }, TIMEOUT_MS);
  try {
    return await event;
  } finally {
    clearTimeout(timer);
  }
}

/** Facility 13 is "log audit"; severity 5 is "notice". */
const PRIORITY = 13 * 8 + 5;
/** Longest message in bytes: a datagram holds no more than 65,507. */
const MESSAGE_MAX = 60_000;

/** Visible ASCII, as names in the header of a message must be. */
const name = (text: string, max: number): string => text.replaceAll(/[^\x21-\x7e]/g, '?').slice(0, max) || '-';

/** JSON in ASCII: the standard wants a byte order mark before other characters, which many receivers keep as text. */
const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(/[^\x20-\x7e]/g, (letter) => {
    return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });

/**
 * Formats an entry: its action is the id of the message, its id the sequence number, and the text is the entry as JSON.
 * An entry that is too long for a datagram loses its detail.
 */
export function syslogMessage(entry: AuditEntry, host = hostname()): string {
  const time = new Date(entry.time * 1000).toISOString();
  const from = `${name(host, 255)} quarterdeck ${process.pid} ${name(entry.action, 32)}`;
  const head = `<${PRIORITY}>1 ${time} ${from} [meta sequenceId="${entry.id}"] `;
  const text = asciiJson(entry);
  return head + (text.length <= MESSAGE_MAX ? text : asciiJson({ ...entry, detail: { cut: true } }));
}
