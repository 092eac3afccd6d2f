// Compares what was notified with what had to be notified, and what is stored with what was sent.
import type { Alert } from '../../../packages/core/src/index.ts';
import { countsByService, ledgerSum, readAlerts, readDeliveries, readGroups } from './contents.ts';
import type { NightReceiver } from './receiver.ts';
import type { World } from './world.ts';

interface Notified {
  readonly type: string;
  readonly data: Alert;
}

export interface Verdict {
  readonly wrong: readonly string[];
  readonly rows: readonly (readonly [string, string])[];
}

function tally(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

/** Differences of two lists, in which order does not count. */
function differences(got: readonly string[], wanted: readonly string[], where: string): string[] {
  const [has, must] = [tally(got), tally(wanted)];
  return [...new Set([...has.keys(), ...must.keys()])].flatMap((text) => {
    const [n, m] = [has.get(text) ?? 0, must.get(text) ?? 0];
    return n === m ? [] : [`${where}: ${text}: ${n} instead of ${m}`];
  });
}

/** The messages that must arrive, as `type rule cause`. */
async function wantedMessages({ admin, expected }: World): Promise<string[]> {
  const groups = await readGroups(admin);
  const causeOf = (cause: string) => {
    const service = /^service (.*)$/.exec(cause)?.[1];
    return service === undefined ? cause : `group:${groups.find((group) => group.service === service)?.id}`;
  };
  return expected.flatMap(({ rule, cause, ends }) => {
    const firing = `alert.firing ${rule} ${causeOf(cause)}`;
    return ends ? [firing, `alert.resolved ${rule} ${causeOf(cause)}`] : [firing];
  });
}

const messageText = ({ type, data }: Notified) => `${type} ${data.rule} ${data.key.replace(/^outage:\d+$/, 'outage')}`;

/** Verifies the messages of one channel; `alerts` are those that the server has. */
async function verifyChannel(world: World, id: number, receiver: NightReceiver, alerts: readonly Alert[]) {
  const messages = [...receiver.messages.values()];
  // Amendments depend on what is known of causes, which is no part of this night.
  const notified = messages
    .map(({ body }) => JSON.parse(body) as Notified)
    .filter(({ type }) => type !== 'alert.updated');
  const wrong = differences(notified.map(messageText), await wantedMessages(world), receiver.name);
  const keys = notified.map(({ type, data }) => `${type} of alert ${data.id}`);
  const stored = alerts.filter((alert) => alert.messages > 0);
  const ends = new Set(world.expected.filter((one) => one.ends).map(({ rule }) => rule));
  const keysOf = (alert: Alert) => [
    `alert.firing of alert ${alert.id}`,
    ...(ends.has(alert.rule) && alert.resolved !== null ? [`alert.resolved of alert ${alert.id}`] : []),
  ];
  wrong.push(...differences(keys, stored.flatMap(keysOf), `${receiver.name}, ids`));
  const causes = notified.map(({ type, data }) => `${type} ${data.rule} ${data.key} since ${data.since}`);
  for (const [cause, n] of tally(causes)) if (n > 1) wrong.push(`${receiver.name}: ${cause} has ${n} ids`);
  const deliveries = await readDeliveries(world.admin, id);
  const order = deliveries.map(({ message_id }) => message_id);
  if (order.join() !== messages.map((message) => message.id).join()) wrong.push(`${receiver.name}: order differs`);
  for (const { state, type, error } of deliveries) {
    if (state !== 'delivered') wrong.push(`${receiver.name}: ${type} is ${state}: ${error}`);
  }
  return { wrong: [...wrong, ...receiver.faults], attempts: messages.reduce((sum, { attempts }) => sum + attempts, 0) };
}

/** Verifies alerts, messages and counts. */
export async function judge(world: World, startMs: number): Promise<Verdict> {
  const { admin, senders, receivers, channels } = world;
  const wrong: string[] = [];
  const rows: [string, string][] = [];

  const alerts = await readAlerts(admin);
  for (const [n, receiver] of receivers.entries()) {
    const result = await verifyChannel(world, channels[n] ?? 0, receiver, alerts);
    wrong.push(...result.wrong);
    rows.push([`messages of ${receiver.name}`, `${receiver.messages.size} in ${result.attempts} attempts`]);
  }
  const pending = alerts.filter(({ messages }) => messages === 0);
  rows.push(['alerts', `${alerts.length}, ${pending.length} of them without a message of their own`]);
  for (const { state, rule, key } of alerts) {
    if (state !== 'resolved') wrong.push(`alert ${rule} ${key} is ${state}`);
  }

  const counts = await countsByService(admin);
  let least = 0;
  for (const [service, sent] of senders.sent) {
    const count = counts.get(service) ?? 0;
    least += sent.least;
    if (count < sent.least || count > sent.most) wrong.push(`${service}: ${count}, not ${sent.least} to ${sent.most}`);
  }
  for (const service of counts.keys()) if (!senders.sent.has(service)) wrong.push(`unknown service ${service}`);
  const stored = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const ledger = await ledgerSum(admin, startMs / 1000, world.now() / 1000);
  if (ledger !== stored) wrong.push(`the ledger has ${ledger} lines, the groups ${stored}`);
  rows.push(['lines', `${least} acknowledged, ${stored} in the groups, ${ledger} in the ledger`]);
  return { wrong, rows };
}
