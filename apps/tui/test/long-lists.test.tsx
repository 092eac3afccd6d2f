// Lists that are longer than what is loaded: the end is the end of the list on the server.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditEntry, User } from '@quarterdeck/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { agent, FakeServer } from './fake-server.ts';
import { renderTui, type Tui } from './render-tui.tsx';

const selected = (tui: Tui): string => tui.lines().find((line) => line.startsWith('▌')) ?? '';

async function onScreen(server: FakeServer, command: string, position: string): Promise<Tui> {
  const tui = renderTui({ server, columns: 100 });
  await tui.waitForText('● live');
  tui.type(`:${command}\r`);
  await tui.waitForText(position);
  return tui;
}

const auditEntry = (id: number): AuditEntry => ({
  id,
  time: 1_790_000_000 + id,
  action: id === 7 ? 'user.remove' : 'user.login',
  actor: { kind: 'user', id: 1, name: 'admin', credential: `session:${id}`, address: '10.0.0.1' },
  target: { kind: 'user', id },
  request_id: '',
  detail: { entry: id },
  previous: '',
  hash: '',
});

describe('a list that is longer than what is loaded', () => {
  it('reaches its last agent on G, and pages back from there', async () => {
    const server = new FakeServer();
    server.agents = Array.from({ length: 2_000 }, (_, index) =>
      agent(index + 1, { hostname: `host-${String(index + 1).padStart(4, '0')}`, online: index >= 3 }),
    );
    await using tui = await onScreen(server, 'agents', '1 of 2,000');
    tui.press('G');
    await tui.waitForText('2,000 of 2,000');
    await tui.waitFor('the last agent', () => selected(tui).includes('host-2000'));
    tui.type('500k');
    await tui.waitForText('1,500 of 2,000');
    await tui.waitFor('that agent', () => selected(tui).includes('host-1500'));
    tui.press('g', 'g');
    await tui.waitFor('the first agent', () => selected(tui).includes('offline'));
  });

  it('reaches the oldest audit entry, and searches all entries', async () => {
    const server = new FakeServer();
    server.audit = Array.from({ length: 3_000 }, (_, index) => auditEntry(3_000 - index));
    await using tui = await onScreen(server, 'audit', '1 of 3,000');
    tui.press('end');
    await tui.waitForText('3,000 of 3,000');
    await tui.waitFor('the first entry', () => selected(tui).includes('entry=1 '));
    tui.type('/user.remove\r');
    await tui.waitForText('1 of 1 (of 3,000)');
    expect(selected(tui)).toContain('entry=7');
    tui.press('escape');
    await tui.waitForText(/of 3,000$/m);
    const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-export-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    tui.type(`:export ${folder}/audit.json\r`);
    await tui.waitForText('Wrote 3,000 rows');
  });

  it('counts the values of all rows, and finds a bookmarked row that is not loaded', async () => {
    const server = new FakeServer();
    server.audit = Array.from({ length: 3_000 }, (_, index) => auditEntry(3_000 - index));
    await using tui = await onScreen(server, 'audit', '1 of 3,000');
    tui.type('llF');
    await tui.waitForText('Who: 1 value in 3,000 rows');
    tui.press('escape', 'G');
    await tui.waitFor('the first entry', () => selected(tui).includes('entry=1 '));
    tui.press('k', 'm');
    await tui.waitFor('the mark', () => selected(tui).startsWith('▌★'));
    tui.press('g', 'g');
    await tui.waitForText('1 of 3,000');
    await tui.waitFor('the newest entry', () => selected(tui).includes('entry=3000 '));
    tui.press("'", 'b', 'enter');
    await tui.waitForText('2,999 of 3,000');
    await tui.waitFor('the row', () => selected(tui).includes('entry=2 '));
  });

  it('says why rows in view are not loaded, and loads them later', async () => {
    const server = new FakeServer();
    server.agents = Array.from({ length: 2_000 }, (_, index) => agent(index + 1));
    await using tui = await onScreen(server, 'agents', '1 of 2,000');
    server.isDown = true;
    tui.press('G');
    await tui.waitForText(/▌ … not loaded: Cannot reach the server/);
    server.isDown = false;
    await tui.waitFor('the last agent', () => selected(tui).includes('online'));
    expect(tui.text()).toContain('2,000 of 2,000');
  });

  it('sorts all users by a column, not the first page', async () => {
    const server = new FakeServer();
    server.users = Array.from(
      { length: 1_500 },
      (_, index): User => ({
        id: index + 1,
        username: `user-${String(1_500 - index).padStart(4, '0')}`,
        role: 'viewer',
        disabled: false,
        second_factor: false,
        _created_unix: 1_760_000_000,
        _modified_unix: 1_760_000_000,
      }),
    );
    await using tui = await onScreen(server, 'users', '1 of 1,500');
    tui.press('G');
    await tui.waitFor('the last user', () => selected(tui).includes('user-0001'));
    tui.press('s', 'u');
    await tui.waitForText('Username▲');
    tui.press('g', 'g');
    await tui.waitForText(/ 1 of 1,500$/m);
    expect(selected(tui)).toContain('user-0001');
  });
});
