// Sends a message once, in the form of its channel: the only way by which messages leave the server.
import {
  AddressNotAllowed,
  allowedAddresses,
  hostOf,
  type Resolve,
  resolveName,
} from '../../../net/allowed-address.ts';
import { VERSION } from '../../../process/version.ts';
import type { Config } from '../../../settings/config.ts';
import { createEmail } from './email.ts';
import { createHttpPost, type PostOutcome } from './http-post.ts';
import { HTTP_KINDS } from './kinds.ts';
import type { StoredMessage, Transports } from './transport.ts';

/** Settings, and what tests replace. */
export interface TransportsOptions {
  readonly config: Partial<Pick<Config, 'proxies'>> &
    Pick<Config, 'webhookAllow' | 'smtpHost' | 'smtpPort' | 'smtpUser' | 'smtpPassword' | 'smtpFrom'>;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly resolve?: Resolve;
  /** Authorities of certificates in PEM; undefined = those of Node. */
  readonly ca?: string;
  /** Time limit of an HTTP request; 10 s by default. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;

const setting = 'QUARTERDECK_WEBHOOK_ALLOW';

export function createTransports(options: TransportsOptions): Transports {
  const { config, now, resolve = resolveName, ca, timeoutMs = TIMEOUT_MS } = options;
  const { webhookAllow: allow, smtpHost: host, smtpPort, smtpUser: user, smtpPassword: password, smtpFrom } = config;
  const post = createHttpPost({
    resolve,
    allow,
    setting,
    timeoutMs,
    ca,
    proxies: config.proxies,
    userAgent: `Quarterdeck/${VERSION}`,
  });
  const email =
    host === undefined ? undefined : createEmail({ host, port: smtpPort, user, password, from: smtpFrom ?? '', ca });

  return {
    hasEmail: email !== undefined,
    async send(channel, message, signal) {
      const { kind } = channel;
      if (kind !== 'email') {
        const http = HTTP_KINDS[kind];
        const send = (one: StoredMessage): Promise<PostOutcome> =>
          post(http.post(channel, one, now()), signal, (answer) => http.read?.(answer, channel) ?? {});
        const outcome = await send(message);
        const { earlier } = message;
        if (outcome.isMissing !== true || earlier === undefined) return outcome;
        // Somebody has deleted the message that this one amends.
        return send({ ...message, earlier: { ...earlier, receipt: '' } });
      }
      if (email !== undefined) return email.send(channel, message, signal);
      return { ok: false, status: null, error: 'No mail server is set. Set QUARTERDECK_SMTP_HOST.' };
    },
    async refusalOf(url) {
      try {
        await allowedAddresses(hostOf(new URL(url)), { resolve, allow, setting }, AbortSignal.timeout(timeoutMs));
        return undefined;
      } catch (error) {
        return error instanceof AddressNotAllowed ? error.message : undefined;
      }
    },
    close: () => email?.close(),
  };
}
