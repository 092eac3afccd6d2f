// Standard Webhooks (https://www.standardwebhooks.com): the message as it is, signed.
import { createHmac } from 'node:crypto';
import type { OpenChannel, StoredMessage } from '../transport.ts';
import { ALL, type HttpKind } from './channel-kind.ts';
import type { Post } from './http-post.ts';

const SECRET_PREFIX = 'whsec_';

function sign(secret: string, content: string): string {
  const key = Buffer.from(secret.replace(SECRET_PREFIX, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}

/** Formats a message, signed by each secret of the channel at the time of the attempt. */
function post({ url, secrets }: OpenChannel, { messageId, body }: StoredMessage, nowMs: number): Post {
  const timestamp = String(Math.floor(nowMs / 1000));
  const content = `${messageId}.${timestamp}.${body}`;
  return {
    url: new URL(url),
    headers: {
      'webhook-id': messageId,
      'webhook-timestamp': timestamp,
      'webhook-signature': secrets.map((secret) => sign(secret, content)).join(' '),
    },
    body,
  };
}

/** Programs that verify Standard Webhooks. */
export const standard: HttpKind = { later: ALL, post };
