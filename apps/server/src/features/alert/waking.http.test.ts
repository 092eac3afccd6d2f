// Alerts without a periodic round: from a commit to the request at the channel.
import { expect, it } from 'vitest';
import { agentCalls } from '../../../test/agent-calls.ts';
import { DIALECT, startApi, type TestApi } from '../../../test/start-api.ts';
import { startReceiver, TO_RECEIVER } from '../../../test/webhook-receiver.ts';
import { word } from '../../../test/word.ts';

type When = Parameters<TestApi['admin']['alert']['create']>[0]['body']['when'];

/** Creates a rule that sends to a receiver. */
async function ruleTo(api: TestApi, url: string, when: When): Promise<void> {
  const { id } = await api.admin.webhook.create({ body: { name: word(), url } });
  await api.admin.alert.create({ body: { name: word(), when, channels: [id] } });
}

/** Stops the periodic rounds of a server that has the task of alerts and deliveries, unless another one has it. */
async function stopJobs({ server: { jobs } }: TestApi): Promise<void> {
  await jobs.runAll();
  await jobs.stop();
}

it('sends a message about a new error when its line is stored', async () => {
  await using receiver = await startReceiver();
  await using api = await startApi({}, { wakesAlerts: true, transports: TO_RECEIVER });
  await stopJobs(api);
  await ruleTo(api, receiver.url(), { kind: 'errlog.new' });
  const log = word();
  await api.admin.errlog.append({ body: { level: 'error', log } });
  await receiver.until(1);
  expect(receiver.received[0]?.body).toMatchObject({ type: 'alert.firing', data: { detail: { log } } });
});

it('sends a message when an error happens too often, at the line that is too many', async () => {
  await using receiver = await startReceiver();
  await using api = await startApi({}, { wakesAlerts: true, transports: TO_RECEIVER });
  await stopJobs(api);
  await ruleTo(api, receiver.url(), { kind: 'errlog.count', count: 3 });
  const log = word();
  await api.admin.errlog.append({ body: { level: 'error', log, count: 3 } });
  await api.admin.errlog.append({ body: { level: 'error', log } });
  await receiver.until(1);
  expect(receiver.received[0]?.body).toMatchObject({ data: { detail: { n: 4 } } });
});

it('sends a message about a failed operation when the agent says so', async () => {
  await using receiver = await startReceiver();
  await using api = await startApi({}, { wakesAlerts: true, transports: TO_RECEIVER });
  await stopJobs(api);
  await ruleTo(api, receiver.url(), { kind: 'operation.failed' });
  const agent = await api.agent();
  const { id } = await api.admin.agentOperation.create({ body: { agent_id: agent.id, kind: 'upgrade' } });
  const { beat } = agentCalls(api);
  await beat(agent);
  await beat(agent, { operations: [{ id, state: 'failed', detail: 'no space left' }] });
  await receiver.until(1);
  expect(receiver.received[0]?.body).toMatchObject({ data: { kind: 'operation.failed' } });
});

it.skipIf(DIALECT === 'sqlite')('sends a message about a line that another server stores', async () => {
  await using receiver = await startReceiver();
  await using sender = await startApi({}, { wakesAlerts: true, transports: TO_RECEIVER });
  await stopJobs(sender);
  await using other = await startApi(sender.sharing, { wakesAlerts: true, transports: TO_RECEIVER });
  await stopJobs(other);
  await ruleTo(sender, receiver.url(), { kind: 'errlog.new' });
  const log = word();
  await other.admin.errlog.append({ body: { level: 'error', log } });
  await receiver.until(1);
  expect(receiver.received[0]?.body).toMatchObject({ data: { detail: { log } } });
});
