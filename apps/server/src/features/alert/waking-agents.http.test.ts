// Alerts about hosts without a periodic round: the write that stores what happened wakes the round.
import { expect, it } from 'vitest';
import { agentCalls } from '../../../test/agent-calls.ts';
import { newFleet } from '../../../test/fleet.ts';
import type { TestApi } from '../../../test/start-api.ts';
import { startSteadyApi } from '../../../test/steady-api.ts';
import { startReceiver, TO_RECEIVER } from '../../../test/webhook-receiver.ts';
import { word } from '../../../test/word.ts';

const SILENT_MS = 91_000;

type Kind = Parameters<TestApi['admin']['alert']['create']>[0]['body']['when']['kind'];

/** Starts a server without periodic rounds, and a rule that sends to a receiver. */
async function withRule(kind: Kind) {
  const receiver = await startReceiver();
  const api = await startSteadyApi({}, { wakesAlerts: true, transports: TO_RECEIVER });
  // It takes the task of alerts and deliveries.
  await api.server.jobs.runAll();
  const { id } = await api.admin.webhook.create({ body: { name: word(), url: receiver.url() } });
  await api.admin.alert.create({ body: { name: word(), when: { kind }, channels: [id] } });
  const stack = new AsyncDisposableStack();
  stack.use(receiver);
  stack.use(api);
  return { api, receiver, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

it('sends a message about an agent when it is found to be silent', async () => {
  await using started = await withRule('agent.offline');
  const { api, receiver } = started;
  const agent = await api.agent();
  api.advance(SILENT_MS);
  await api.server.jobs.runAgents();
  await receiver.until(1);
  expect(receiver.received[0]?.body).toMatchObject({ data: { key: `agent:${agent.id}` } });
});

it('sends a message about an outage when it is found', async () => {
  await using started = await withRule('agent.outage');
  const { api, receiver } = started;
  await newFleet(api, 12);
  api.advance(SILENT_MS);
  await api.server.jobs.runAgents();
  await receiver.until(1);
  expect(receiver.received[0]?.body).toMatchObject({ data: { kind: 'agent.outage', state: 'firing' } });
});

it('sends a message about an operation when its time is over', async () => {
  await using started = await withRule('operation.failed');
  const { api, receiver } = started;
  const agent = await api.agent();
  await api.admin.agentOperation.create({ body: { agent_id: agent.id, kind: 'upgrade', start_within: 60 } });
  api.advance(61_000);
  await api.server.jobs.runAgents();
  await receiver.until(1);
  expect(receiver.received[0]?.body).toMatchObject({ data: { detail: { agent_id: agent.id, state: 'expired' } } });
});

it('sends a message about a certificate when an agent reports it', async () => {
  await using started = await withRule('certificate.expiring');
  const { api, receiver } = started;
  const agent = await api.agent();
  const expire = Math.floor(api.now() / 1000) + 86_400;
  const certificate = { place: '/a', subject: 'CN=a', issuer: 'CN=ca', fingerprint: 'ab'.repeat(8), expire };
  await agentCalls(api).beat(agent, { certificates: [certificate] });
  await receiver.until(1);
  expect(receiver.received[0]?.body).toMatchObject({ data: { key: `certificate:${certificate.fingerprint}` } });
});
