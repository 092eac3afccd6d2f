// Commands that can be pasted into a shell.
import type { Operation } from '../openapi/types.ts';

/** Security scheme -> its header, with the variable that holds the credential. */
const CREDENTIALS: Readonly<Record<string, string>> = {
  session: 'edge-token: $SESSION',
  apiToken: 'API-Token: $TOKEN',
};

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Returns the curl command for an operation. `$URL` is the server, and the ids in its path are 1. */
export function curlOf(method: string, path: string, { security, requestBody, responses }: Operation): string {
  const schemes = security.flatMap((scheme) => Object.keys(scheme));
  const scheme = schemes.includes('apiToken') ? 'apiToken' : schemes[0];
  const body = requestBody?.content['application/json']?.example;
  const success = responses['200'];
  const isStream = success !== undefined && 'content' in success && 'text/event-stream' in success.content;
  return [
    'curl',
    ...(isStream ? ['-N'] : []),
    ...(method === 'get' ? [] : ['-X', method.toUpperCase()]),
    ...(scheme === undefined ? [] : ['-H', `"${CREDENTIALS[scheme]}"`]),
    ...(body === undefined ? [] : ['-H', "'Content-Type: application/json'", '-d', quoted(JSON.stringify(body))]),
    `"$URL${path.replaceAll(/\{\w+\}/g, '1')}"`,
  ].join(' ');
}
