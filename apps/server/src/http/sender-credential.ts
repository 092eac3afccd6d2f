// Credentials as the senders of other systems bring them: `Basic` with the token as the password, and `ApiKey`.
import type { IncomingMessage } from 'node:http';

const SCHEME = /^(basic|apikey) +(\S+)$/i;
const TOKEN = /^qd_/;

/**
 * Brings the credential of a sender to the form that the server reads everywhere. `ApiKey` has the token, or in base64
 * `id:token`, as Elasticsearch has its keys. Anything else stays, and is refused as usual.
 */
export function acceptSenderCredential({ headers }: IncomingMessage): void {
  const [, scheme = '', text = ''] = SCHEME.exec(headers.authorization ?? '') ?? [];
  if (scheme === '') return;
  const decoded = Buffer.from(text, 'base64').toString();
  const second = decoded.slice(decoded.indexOf(':') + 1);
  const isPlain = scheme.toLowerCase() === 'apikey' && TOKEN.test(text);
  headers.authorization = `Bearer ${isPlain ? text : second}`;
}
