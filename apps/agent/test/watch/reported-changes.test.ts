import type { HostCertificate, HostChange } from '@quarterdeck/core';
import { expect, it } from 'vitest';
import { type FakeConsole, refusal, startFakeConsole, success } from '../fake-console.ts';
import { runAgainst } from '../running-agent.ts';
import { temporaryFolder } from '../temporary.ts';
import { fieldsOf, found, openStore, TestClock } from './stored-changes.ts';

interface Body {
  readonly changes?: HostChange[];
  readonly certificates?: HostCertificate[];
  readonly hostname?: string;
}

/** Bodies of the heartbeats. */
const heartbeats = ({ seen }: FakeConsole): Body[] =>
  seen.filter(({ what }) => what === 'heartbeat').map(({ body }) => (body ?? {}) as Body);

/** An enrolled agent with changes to report. */
async function agentWith(...fields: string[]) {
  const server = await startFakeConsole();
  const lines: string[] = [];
  const changes = await openStore(await temporaryFolder(), new TestClock(), { lines });
  const agent = await runAgainst(server, { changes });
  await agent.rested();
  await changes.keep('config', { observed: {}, changes: fields.map((field) => found(field)) });
  const seqs = changes.next().map(({ seq }) => seq);
  return { server, changes, agent, seqs, lines };
}

it('reports changes with heartbeats until the server has stored them', async () => {
  const { server, agent, seqs } = await agentWith('/a', '/b');
  await agent.wake();
  server.responseFields = { changes_stored: seqs[0] };
  await agent.wake();
  server.responseFields = { changes_stored: seqs[1] };
  await agent.wake();
  server.responseFields = {};
  await agent.wake();
  expect(heartbeats(server).map(({ changes }) => changes && fieldsOf(changes))).toEqual([
    ['/a', '/b'],
    // The first answer was that of an older server, which takes no changes.
    ['/a'],
    ['/b'],
    undefined,
  ]);
});

it('keeps changes over a failed report and a new enrollment', async () => {
  const { server, changes, agent, seqs } = await agentWith('/a');
  server.next.push(refusal(401, 'credential_invalid'));
  await agent.wake();
  expect(server.seen.at(-1)?.what).toBe('register');
  server.responseFields = { changes_stored: seqs[0] };
  await agent.wake();
  expect(heartbeats(server).map((body) => fieldsOf(body.changes ?? []))).toEqual([['/a'], ['/a']]);
  expect(changes.next()).toEqual([]);
});

it('reports facts although the server refuses the changes, and drops only the refused one', async () => {
  const { server, agent, seqs, lines } = await agentWith('/bad', '/b');
  agent.facts = { ...agent.facts, hostname: 'new-name' };
  const refused = refusal(400, 'validation_failed');
  // With facts, alone, and then the facts without changes.
  server.next.push(refused, refused);
  await agent.wake();
  expect(heartbeats(server).map(({ changes = [], hostname }) => [fieldsOf(changes), hostname])).toEqual([
    [['/bad', '/b'], 'new-name'],
    [['/bad', '/b'], undefined],
    [[], 'new-name'],
  ]);
  server.next.push(refused, refused);
  await agent.wake();
  server.responseFields = { changes_stored: seqs[1] };
  await agent.wake();
  const sent = heartbeats(server).map(({ changes = [] }) => fieldsOf(changes));
  expect(sent.slice(3)).toEqual([['/bad'], ['/bad'], [], ['/b']]);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 'warn', first: '/bad', dropped: 1 }]);
});

it('reports changes although the server refuses the facts', async () => {
  const { server, changes, agent, seqs } = await agentWith('/a');
  agent.facts = { ...agent.facts, hostname: 'odd' };
  server.next.push(refusal(400, 'validation_failed'), success({ interval: 30, changes_stored: seqs[0] }));
  await agent.wake();
  expect(heartbeats(server).map(({ changes: sent = [], hostname }) => [fieldsOf(sent), hostname])).toEqual([
    [['/a'], 'odd'],
    [['/a'], undefined],
  ]);
  expect(changes.next()).toEqual([]);
});

it('reports all certificates once they are known, again when they change, and to a server that lost the agent', async () => {
  const server = await startFakeConsole();
  const one = { place: '/a', subject: 'CN=a', issuer: 'CN=ca', fingerprint: 'ab'.repeat(8), expire: 1_900_000_000 };
  let certificates: HostCertificate[] | undefined;
  const agent = await runAgainst(server, { certificates: () => certificates });
  await agent.rested();
  await agent.wake();
  certificates = [one];
  await agent.wake();
  await agent.wake();
  certificates = [];
  await agent.wake();
  certificates = [one];
  await agent.wake();
  server.next.push(refusal(401, 'credential_invalid'));
  await agent.wake();
  await agent.wake();
  expect(heartbeats(server).map((body) => body.certificates)).toEqual([
    undefined,
    [one],
    undefined,
    [],
    [one],
    // Refused: the agent registers again, and the next report has them.
    undefined,
    [one],
  ]);
});
