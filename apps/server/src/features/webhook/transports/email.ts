// E-mail by the SMTP server of the settings, over one connection.

import { addressWithin } from '@quarterdeck/core/addresses';
import { createTransport } from 'nodemailer';
import { emailContent } from './email-content.ts';
import { emailFailure, type SmtpError } from './email-failure.ts';
import type { OpenChannel, Outcome, StoredMessage } from './transport.ts';

/** The SMTP server and the sender. */
export interface EmailOptions {
  readonly host: string;
  readonly port: number;
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** Address of the sender. */
  readonly from: string;
  /** Authorities of its certificate in PEM; undefined = those of Node. */
  readonly ca?: string | undefined;
}

/** Sends messages by e-mail. */
export interface Email {
  send(channel: OpenChannel, message: StoredMessage, signal: AbortSignal): Promise<Outcome>;
  /** Closes the connection. */
  close(): void;
}

/** Port whose connections begin with TLS. */
const TLS_PORT = 465;
/** Time limit of the connection, of the greeting, and of each answer. */
const STEP_MS = 10_000;
/** Messages that only some recipients have, at most. */
const PARTIAL_MAX = 1000;

/** True for the server's own host, to which no TLS is needed. */
const isLoopback = (host: string) => host === 'localhost' || addressWithin(host, '127.0.0.0/8 ::1');

/** The refusal that decides when the message is sent again: a temporary one, if there is one. */
const worthRetrying = (refusals: readonly SmtpError[]) =>
  refusals.find(({ responseCode = 0 }) => responseCode < 500) ?? refusals[0] ?? new Error('no refusal');

/** Settings of connections: TLS is needed, unless the server is on this host. */
export function connectionSettings({ host, port, user, password, ca }: EmailOptions) {
  const secure = port === TLS_PORT;
  return {
    host,
    port,
    secure,
    requireTLS: !secure && !isLoopback(host),
    // The certificate of a mail server on its own host is usually a self-made one.
    tls: { rejectUnauthorized: !isLoopback(host), ...(ca === undefined ? {} : { ca }) },
    ...(user === undefined ? {} : { auth: { user, pass: password ?? '' } }),
    connectionTimeout: STEP_MS,
    greetingTimeout: STEP_MS,
    socketTimeout: STEP_MS,
    dnsTimeout: STEP_MS,
  };
}

/** Creates the sender of e-mail. It connects with the first message. */
export function createEmail(options: EmailOptions): Email {
  const { host, password, from } = options;
  const transport = createTransport({
    ...connectionSettings(options),
    pool: true,
    maxConnections: 1,
    // A message that is sent again belongs to the next attempt.
    maxRequeues: 0,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  // Message -> recipients that have it already, while others were refused. A restart forgets them.
  const partial = new Map<string, Set<string>>();

  return {
    async send(channel, message, signal) {
      const { messageId } = message;
      const done = partial.get(messageId) ?? new Set();
      const to = channel.recipients.filter((recipient) => !done.has(recipient));
      if (to.length === 0) return { ok: true, status: 250 };
      try {
        const info = await transport.sendMail({
          ...emailContent(channel, message, from),
          envelope: { from, to },
          signal,
        });
        const refusals = (info.rejectedErrors ?? []) as SmtpError[];
        if (refusals.length > 0) {
          for (const recipient of info.accepted) done.add(String(recipient));
          partial.set(messageId, done);
          if (partial.size > PARTIAL_MAX) partial.delete(partial.keys().next().value ?? '');
          return emailFailure(worthRetrying(refusals), { host, password }, signal);
        }
        partial.delete(messageId);
        return { ok: true, status: Number.parseInt(info.response, 10) };
      } catch (error) {
        return emailFailure(error as SmtpError, { host, password }, signal);
      }
    },
    close: () => transport.close({ force: true }),
  };
}
