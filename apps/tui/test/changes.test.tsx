// The screen of the changes from outside: their effects, and the way to the errors.
import type { Change, ChangeEffects } from '@quarterdeck/core';
import { build } from '@quarterdeck/sdk/testing';
import { describe, expect, it } from 'vitest';
import { entry, FakeServer } from './fake-server.ts';
import { openTui } from './render-tui.tsx';

const nowS = Math.floor(Date.now() / 1000);

const deploy = (id: number, over: Partial<Change> = {}): Change =>
  build.change({
    id,
    time: nowS - 7_200,
    kind: 'deploy',
    name: 'checkout',
    before: '2.8.4',
    after: '2.9.0',
    hosts: ['api-1', 'api-x'],
    host_count: 2,
    unknown_hosts: ['api-x'],
    labels: {},
    agents: 1,
    service: 'checkout',
    url: 'https://ci.example.org/runs/17',
    author: 'Ada',
    ...over,
  });

const effects = (over: Partial<ChangeEffects> = {}): ChangeEffects => ({
  verdict: 'worse',
  time: nowS - 7_200,
  from: nowS - 10_800,
  until: nowS - 3_600,
  settled: true,
  missing: [],
  hosts: 1,
  others: 12,
  silent: 0,
  complete: true,
  errors: [
    {
      id: 5,
      level: 4,
      log: 'no currency',
      service: 'checkout',
      before: 0,
      after: 412,
      others_before: 3,
      others_after: 2,
      verdict: 'new',
    },
  ],
  ...over,
});

describe('the changes from outside', () => {
  it('are listed, and show their effects and the error that became more frequent', async () => {
    const server = new FakeServer();
    server.changes = [deploy(1)];
    server.errlog = [
      entry(5, { log: 'no currency', fingerprint: 'f' }),
      entry(6, { log: 'another', fingerprint: 'g' }),
    ];
    server.effects = effects();
    await using tui = await openTui('1 of 2', { server, columns: 100, rows: 60 });
    await tui.press('9').until(/deploy +checkout +2\.8\.4 → 2\.9\.0 +2 hosts/);
    expect(tui.text()).toContain('Ada');
    await tui.press('enter').until('▲ worse');
    await tui.press('+').until('● api-1');
    for (const text of ['0 → 412', '3 → 2', 'https://ci.example.org/runs/17', '● api-1']) {
      expect(tui.text()).toContain(text);
    }
    expect(tui.text()).toMatch(/api-x +not known: no agent and no source/);
    await tui.press('g', 'l').until('[same error]', '1 of 1');
    expect(tui.text()).toContain('no currency');
  });

  it('lead from the details to one of several errors with Enter', async () => {
    const server = new FakeServer();
    server.changes = [deploy(1)];
    server.errlog = [
      entry(5, { log: 'no currency', fingerprint: 'f' }),
      entry(6, { log: 'another', fingerprint: 'g' }),
    ];
    const { errors } = effects();
    server.effects = effects({ errors: [...errors, ...errors.map((error) => ({ ...error, id: 6, log: 'another' }))] });
    await using tui = await openTui('1 of 2', { server });
    await tui.press('9').until('1 of 1');
    await tui.press('enter').until('▲ worse', 'Enter error');
    await tui.press('enter').until('Go to an error');
    await tui.press('down', 'enter').until('[same error]', '1 of 1');
    expect(tui.text()).toContain('another');
  });

  it('say why the verdict is not certain', async () => {
    const server = new FakeServer();
    server.changes = [deploy(1)];
    server.effects = effects({ verdict: 'too_early', missing: ['silent', 'lines'], silent: 1, errors: [] });
    await using tui = await openTui('● live', { server, columns: 100, rows: 40 });
    await tui.type(':changes\r').until('2.8.4');
    await tui.press('enter').until('◇ not certain yet');
    expect(tui.text()).toContain('No error became new, more or less frequent.');
    expect(tui.text()).toContain('▲ 1 host that made the change stopped reporting; lines were lost in this time');
  });

  it('appear as they are reported', async () => {
    const server = new FakeServer();
    await using tui = await openTui('● live', { server, columns: 100 });
    await tui.press('9').until('No changes from outside.');
    await tui.waitFor('the stream', () => server.subscribers === 1);
    server.changes = [deploy(1)];
    server.emit('change.created', deploy(1));
    await tui.waitForText('2.8.4 → 2.9.0');
  });
});
