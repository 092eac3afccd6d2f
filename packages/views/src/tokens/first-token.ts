// The token for a first line: it can send, and nothing else.
import type { Client } from '@quarterdeck/sdk';
import { sendCommand } from '../lines/first-lines.ts';
import type { SecretDialog } from '../questions/question.ts';
import { createToken } from './api-tokens.ts';

const DAY_MS = 86_400_000;
/** Life of the token, days. */
const DAYS = 30;

/** Creates a token that may send lines for some days, and shows the command that uses it. */
export async function createFirstToken(client: Client, url: string, nowMs: number): Promise<SecretDialog> {
  const { token } = await createToken(client, {
    name: 'first line',
    expire: nowMs + DAYS * DAY_MS,
    scopes: ['errlog:write'],
  });
  return {
    kind: 'secret',
    title: 'A token that sends lines',
    noun: 'token',
    lines: [`It can send lines for ${DAYS} days, and nothing else. It is shown only once.`],
    secret: token,
    // The leading blank keeps the line out of the history of most shells.
    command: ` ${sendCommand(url, token)}`,
    commandNote: 'Paste this into a shell:',
  };
}
