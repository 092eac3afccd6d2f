// Comparisons once everything has arrived: the ledger, the alerts, and the messages.
import { statement } from '../../packages/core/src/db/open/index.ts';
import { errlogStore } from '../../packages/store/src/index.ts';
import type { SimAgent } from './agent.ts';
import type { Checker } from './checker.ts';
import type { Received } from './receiver.ts';
import type { SimServer } from './server.ts';
import { ALERT_CHANNEL, FEED_CHANNEL } from './template.ts';
import { CLIENT } from './token-client.ts';

const WAITING = statement("SELECT count(*) AS n FROM webhook_delivery WHERE state = 'waiting'");
const SOURCES = statement('SELECT s.id, s.name FROM source s');
const GROUPS = statement('SELECT id FROM errlog ORDER BY id');
const COUNTS = statement('SELECT src, sum(count) AS n FROM errlog GROUP BY src');
const CLIENT_SOURCE = CLIENT;

interface EndOptions {
  readonly server: SimServer;
  readonly checker: Checker;
  readonly messages: readonly Received[];
  readonly agents: readonly SimAgent[];
  /** Lines that the client has sent. */
  readonly clientLines: number;
}

/** Checks the whole; false where something has not arrived yet. */
export async function checkEnd({ server, checker, messages, agents, clientLines }: EndOptions): Promise<boolean> {
  const { sql } = server.db.read;
  if ((await sql.get<{ n: number }>(WAITING))?.n !== 0) return false;
  const groups = (await sql.all<{ id: number }>(GROUPS)).map(({ id }) => id);
  if (!areAnnounced(groups, messages)) return false;
  const stored = checker.checkStored(await server.lines(), new Set(agents.map(({ name }) => name)));
  for (const { name, log } of agents) {
    const n = stored.get(name) ?? 0;
    if (n + log.oldest < log.texts.length) checker.fail(`all lines of ${name} that were not deleted arrive`);
  }
  await checkLedger({ server, checker, agents, stored, clientLines });
  checkMessages(checker, messages);
  return true;
}

const groupsOf = ({ body }: Received): number[] =>
  (JSON.parse(body) as { data: { groups?: number[] } }).data.groups ?? [];

/** True once every group has an alert and an event at the receiver. */
function areAnnounced(groups: readonly number[], messages: readonly Received[]): boolean {
  const inAlerts = new Set(messages.filter(isNewError).flatMap(groupsOf));
  const inFeed = new Set(messages.filter(({ type }) => type === 'errlog.new').map(idOf));
  const isResynced = messages.some(({ channel, type }) => channel === FEED_CHANNEL && type === 'resync');
  return groups.every((id) => inAlerts.has(id) && (inFeed.has(id) || isResynced));
}

const dataOf = ({ body }: Received) => (JSON.parse(body) as { data: { id: number; kind?: string } }).data;
const idOf = (message: Received): number => dataOf(message).id;
const isNewError = (message: Received): boolean =>
  message.channel === ALERT_CHANNEL && message.type === 'alert.firing' && dataOf(message).kind === 'errlog.new';

/** No message comes under two ids. */
function checkMessages(checker: Checker, messages: readonly Received[]): void {
  const seen = new Set<string>();
  const once = (what: string) => {
    if (seen.has(what)) checker.fail(`nothing is announced twice: ${what}`);
    seen.add(what);
  };
  for (const message of messages) {
    if (isNewError(message)) for (const group of groupsOf(message)) once(`new error ${group} by an alert`);
    else if (message.type === 'errlog.new') once(`new error ${idOf(message)} by an event`);
    else if (message.channel === ALERT_CHANNEL) once(`${message.type} of alert ${idOf(message)}`);
  }
}

interface LedgerOptions extends Pick<EndOptions, 'server' | 'checker' | 'agents' | 'clientLines'> {
  readonly stored: ReadonlyMap<string, number>;
}

async function checkLedger({ server, checker, agents, stored, clientLines }: LedgerOptions): Promise<void> {
  const { sql } = server.db.read;
  const sources = await sql.all<{ id: number; name: string }>(SOURCES);
  const counts = new Map((await sql.all<{ src: number; n: number }>(COUNTS)).map(({ src, n }) => [src, n]));
  const { data } = await errlogStore(server.db).ledger({}, undefined);
  for (const { id, name } of sources) {
    const rows = data.filter(({ src }) => src === id);
    const sum = (of: (row: (typeof rows)[number]) => number | null | undefined) =>
      rows.reduce((all, row) => all + (of(row) ?? 0), 0);
    const inLedger = sum((row) => row.stored);
    const agent = agents.find((_, i) => name === `agent ${i + 1}`);
    const sender = agent?.name ?? (name === CLIENT_SOURCE ? CLIENT : undefined);
    if (sender === undefined) continue;
    const n = stored.get(sender) ?? 0;
    const expect = (what: string, found: number, expected: number) => {
      if (found !== expected) checker.fail(`the ledger adds up: ${what} of ${sender} is ${found}, not ${expected}`);
    };
    expect('stored', inLedger, n);
    expect('the count of the groups', counts.get(id) ?? 0, n);
    expect(
      'refused',
      sum((row) => row.dropped.refused),
      checker.refusedOf(sender),
    );
    if (agent === undefined) {
      expect(
        'received',
        sum((row) => row.received),
        clientLines,
      );
      continue;
    }
    expect(
      'sent',
      sum((row) => row.sent),
      n,
    );
    expect(
      'read',
      sum((row) => row.read),
      n,
    );
    expect(
      'missing',
      sum((row) => row.dropped.missing),
      0,
    );
    const losses = sum((row) => row.dropped.rotation);
    expect('rotation', losses, checker.lossesOf(sender));
    if (losses === 0 && n < agent.log.texts.length) checker.fail(`the ledger knows of deleted lines of ${sender}`);
  }
}
