// Forwards events to a chat webhook, each at least once. README.md lists the settings and the exit codes.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient, type QuarterdeckEvent } from '@quarterdeck/sdk';

const TYPES = [
  'agent.online',
  'agent.offline',
  'agent.outage',
  'change.created',
  'errlog.new',
  'token.expiring',
] as const;
const WAIT_MAX_MS = 60_000;

function setting(name: string, fallback?: string): string {
  const value = process.env[name] || fallback;
  if (value !== undefined) return value;
  console.error(`Set ${name}.`);
  process.exit(2);
}

function textOf({ type, data }: QuarterdeckEvent): string {
  switch (type) {
    case 'agent.online':
    case 'agent.offline':
      return `${data.hostname} is ${type.slice('agent.'.length)}`;
    case 'change.created':
      return `${data.kind} ${data.name}`;
    case 'errlog.new':
      return `New error: ${data.log.slice(0, 500)}`;
    case 'token.expiring':
      return `The API token ${data.name} expires in ${data.days} days`;
    case 'resync':
      return `Events were missed: ${data.reason}`;
    default:
      return type;
  }
}

/** Posts a message once; returns the pause that the webhook asks for, undefined when it has taken the message. */
async function post(webhook: string, text: string): Promise<number | undefined> {
  const headers = { 'content-type': 'application/json' };
  try {
    const signal = AbortSignal.timeout(10_000);
    const answer = await fetch(webhook, { method: 'POST', headers, body: JSON.stringify({ text }), signal });
    await answer.body?.cancel();
    if (answer.ok) return undefined;
    console.error(`The webhook answered ${answer.status}.`);
    return Number(answer.headers.get('retry-after')) * 1_000 || 0;
  } catch {
    // The error may hold the address of the webhook, which is a secret.
    console.error('The webhook did not answer.');
    return 0;
  }
}

async function main(): Promise<void> {
  const webhook = setting('WEBHOOK_URL');
  const file = setting('POSITION_FILE', 'events.position');
  const client = createClient({ url: setting('QUARTERDECK_URL'), apiToken: setting('QUARTERDECK_TOKEN') });
  const lastEventId = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  const leaving = new AbortController();
  const { signal } = leaving;
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => leaving.abort());
  for await (const event of client.events({
    types: TYPES,
    lastEventId,
    signal,
    onStatus: (status) => console.error(`Event stream: ${status}`),
  })) {
    const text = textOf(event);
    for (let waitMs = 500; ; waitMs = Math.min(waitMs * 2, WAIT_MAX_MS)) {
      const askedMs = await post(webhook, text);
      if (askedMs === undefined) break;
      await delay(Math.max(waitMs, Math.min(askedMs, WAIT_MAX_MS)), undefined, { signal });
    }
    // The position follows the delivery, and the rename is atomic: after a crash an event may repeat, none is lost.
    writeFileSync(`${file}.tmp`, event.id, { flush: true });
    renameSync(`${file}.tmp`, file);
  }
}

try {
  await main();
} catch (error) {
  const isLeaving = error instanceof Error && error.name === 'AbortError';
  if (!isLeaving) console.error(error instanceof Error ? error.message : error);
  process.exitCode = isLeaving ? 0 : 1;
}
