// Lists while loading, after a failure, and with stale data.
import { build } from '@quarterdeck/sdk/testing';
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../test/non-empty.ts';
import { everyThird } from '../../../test/thoroughness.ts';
import { agent, apiToken, FakeServer } from './fake-server.ts';
import { enrollment, kernelRule, operation, outage } from './fleet-rows.ts';
import { openTui, type Tui } from './render-tui.tsx';

const HOSTILE = 'broken \u001B[2J';
const SHOWN = 'broken ␛[2J';

/** Screens by their word, with the text while loading, the path they read, and a text of their row. */
const SCREENS = [
  ['agents', 'Reading the agents', '/api/agents', 'web-01'],
  ['enrollment', 'Reading the enrollment tokens', '/api/agents/enrollment', 'racks'],
  ['operations', 'Reading the operations', '/api/agents/operation', 'collect facts'],
  ['kernels', 'Reading the rules', '/api/agents/kernel_rule', '6.1.0-1*'],
  ['outages', 'Reading the outages', '/api/agents/outage', 'db-07'],
  ['tokens', 'Reading the API tokens', '/admin-api/api_token', 'deploy'],
  ['users', 'Reading the users', '/admin-api/user/list', 'deputy'],
  ['audit', 'Reading the audit log', '/admin-api/audit', 'token.create'],
] as const;

function filled(): FakeServer {
  const server = new FakeServer();
  server.agents = [agent(1, { hostname: 'web-01' })];
  server.enrollments = [enrollment(1, { name: 'racks' })];
  server.operations = [operation(1)];
  server.kernelRules = [kernelRule(1, { pattern: '6.1.0-1*' })];
  server.outages = [outage(1, { sample: [{ id: 7, hostname: 'db-07' }] })];
  server.tokens = [apiToken(1, { name: 'deploy' })];
  server.users = [build.user({ id: 2, username: 'deputy' })];
  server.audit = [build.auditEntry({ id: 1, action: 'token.create' })];
  return server;
}

const on = (server: FakeServer): Promise<Tui> => openTui('● live', { server, columns: 100 });

it.each(nonEmpty(everyThird(SCREENS, 0)))(
  'the screen %s says that it is reading, why it cannot, and how old its rows are',
  async (word, reading, path, row) => {
    const server = filled();
    await using tui = await on(server);
    server.refuse.set(path, { code: 'internal', message: HOSTILE });
    server.isSlow = true;
    await tui.type(`:${word}\r`).until(reading);
    server.isSlow = false;
    await tui.waitForText(SHOWN, 'press r to retry now.');
    server.refuse.clear();
    await tui.press('r').until(row);
    server.isDown = true;
    server.dropStreams();
    await tui.press('r').until(/\ds old/);
    expect(tui.text()).toContain(row);
    server.isDown = false;
    await tui.press('r').untilGone(/\ds old/);
  },
);

describe('a view of an agent', () => {
  it('says why it cannot be read, while the others can', async () => {
    const server = filled();
    server.refuse.set('/api/agents/1/events', { code: 'internal', message: HOSTILE });
    await using tui = await on(server);
    await tui.type(':agents\r').until('web-01');
    await tui.press('enter', ']]]]]]').until('[history]', SHOWN);
    await tui.type(']]]]').until('This host has sent no error logs.');
  });
});

it('the account says why its sessions cannot be read', async () => {
  const server = filled();
  server.refuse.set('/admin-api/user/session', { code: 'internal', message: HOSTILE });
  await using tui = await openTui('Username', { server, signedIn: false });
  await tui.type(`admin\t${server.password}\r`).until('● live');
  await tui.type(':account\r').until(SHOWN);
});
