// Screens about agents while loading, after a failure, and with stale data.
import { describe, expect, it } from 'vitest';
import { agent, FakeServer } from './fake-server.ts';
import { enrollment, kernelRule, operation, outage } from './fleet-rows.ts';
import { renderTui, type Tui } from './render-tui.tsx';

const ESC = '\u001B';

/** Screens by their word, with the text while loading, the path they read, and a text of their row. */
const SCREENS = [
  ['agents', 'Reading the agents', '/api/agents', 'web-01'],
  ['enrolment', 'Reading the enrolment tokens', '/api/agents/enrollment', 'racks'],
  ['operations', 'Reading the operations', '/api/agents/operation', 'collect facts'],
  ['kernels', 'Reading the rules', '/api/agents/kernel_rule', '6.1.0-1*'],
  ['outages', 'Reading the outages', '/api/agents/outage', 'db-07'],
] as const;

function fleet(): FakeServer {
  const server = new FakeServer();
  server.agents = [agent(1, { hostname: 'web-01' })];
  server.enrollments = [enrollment(1, { name: 'racks' })];
  server.operations = [operation(1)];
  server.kernelRules = [kernelRule(1, { pattern: '6.1.0-1*' })];
  server.outages = [outage(1, { sample: [{ id: 7, hostname: 'db-07' }] })];
  return server;
}

async function on(server: FakeServer): Promise<Tui> {
  const tui = renderTui({ server, columns: 100 });
  await tui.waitForText('● live');
  return tui;
}

describe.each(SCREENS)('the screen %s', (word, reading, path, row) => {
  it('says that it is reading, then shows what there is', async () => {
    const server = fleet();
    await using tui = await on(server);
    server.isSlow = true;
    tui.type(`:${word}\r`);
    await tui.waitForText(reading);
    server.isSlow = false;
    await tui.waitForText(row);
  });

  it('says why it cannot be read, in plain text, and reads again on r', async () => {
    const server = fleet();
    server.refuse.set(path, { code: 'internal', message: `broken ${ESC}[2J` });
    await using tui = await on(server);
    tui.type(`:${word}\r`);
    await tui.waitForText('broken ␛[2J');
    await tui.waitForText('press r to retry now.');
    server.refuse.clear();
    tui.press('r');
    await tui.waitForText(row);
  });

  it('keeps what it knows when the server is gone, and says how old that is', async () => {
    const server = fleet();
    await using tui = await on(server);
    tui.type(`:${word}\r`);
    await tui.waitForText(row);
    server.isDown = true;
    server.dropStreams();
    tui.press('r');
    await tui.waitForText(/\ds old/);
    expect(tui.text()).toContain(row);
    server.isDown = false;
    tui.press('r');
    await tui.waitForNoText(/\ds old/);
  });
});

describe('a view of an agent', () => {
  it('says why it cannot be read, while the others can', async () => {
    const server = fleet();
    server.refuse.set('/api/agents/1/events', { code: 'internal', message: `broken ${ESC}[2J` });
    await using tui = await on(server);
    tui.type(':agents\r');
    await tui.waitForText('web-01');
    tui.press('enter');
    tui.type(']]]]]]');
    await tui.waitForText('[history]');
    await tui.waitForText('broken ␛[2J');
    tui.type(']]');
    await tui.waitForText('This host has sent no error logs.');
  });
});
