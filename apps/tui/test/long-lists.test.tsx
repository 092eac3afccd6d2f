// Lists that are longer than what is loaded: the end is the end of the list on the server.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditEntry, User } from '@quarterdeck/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { agent, FakeServer } from './fake-server.ts';
import { openTui, type Tui } from './render-tui.tsx';

async function onScreen(server: FakeServer, command: string, position: string): Promise<Tui> {
  const tui = await openTui('● live', { server, columns: 100 });
  await tui.type(`:${command}\r`).until(position);
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
    await tui.press('G').until('2,000 of 2,000');
    await tui.waitFor('the last agent', () => tui.selected().includes('host-2000'));
    await tui.type('500k').until('1,500 of 2,000');
    await tui.waitFor('that agent', () => tui.selected().includes('host-1500'));
    tui.press('g', 'g');
    await tui.waitFor('the first agent', () => tui.selected().includes('offline'));
  });

  it('reaches the oldest audit entry, and searches all entries', async () => {
    const server = new FakeServer();
    server.audit = Array.from({ length: 3_000 }, (_, index) => auditEntry(3_000 - index));
    await using tui = await onScreen(server, 'audit', '1 of 3,000');
    await tui.press('end').until('3,000 of 3,000');
    await tui.waitFor('the first entry', () => tui.selected().includes('entry=1 '));
    await tui.type('/user.remove\r').until('1 of 1 (of 3,000)');
    expect(tui.selected()).toContain('entry=7');
    await tui.press('escape').until(/of 3,000$/m);
    const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-export-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    await tui.type(`:export ${folder}/audit.json\r`).until('Wrote 3,000 rows');
  });

  it('counts the values of all rows, and finds a bookmarked row that is not loaded', async () => {
    const server = new FakeServer();
    server.audit = Array.from({ length: 3_000 }, (_, index) => auditEntry(3_000 - index));
    await using tui = await onScreen(server, 'audit', '1 of 3,000');
    await tui.type('llF').until('Who: 1 value in 3,000 rows');
    tui.press('escape', 'G');
    await tui.waitFor('the first entry', () => tui.selected().includes('entry=1 '));
    tui.press('k', 'm');
    await tui.waitFor('the mark', () => tui.selected().startsWith('▌★'));
    await tui.press('g', 'g').until('1 of 3,000');
    await tui.waitFor('the newest entry', () => tui.selected().includes('entry=3000 '));
    await tui.press("'", 'b', 'enter').until('2,999 of 3,000');
    await tui.waitFor('the row', () => tui.selected().includes('entry=2 '));
  });

  it('says why rows in view are not loaded, and loads them later', async () => {
    const server = new FakeServer();
    server.agents = Array.from({ length: 2_000 }, (_, index) => agent(index + 1));
    await using tui = await onScreen(server, 'agents', '1 of 2,000');
    server.isDown = true;
    await tui.press('G').until(/▌ … not loaded: Cannot reach the server/);
    server.isDown = false;
    await tui.waitFor('the last agent', () => tui.selected().includes('online'));
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
    await tui.waitFor('the last user', () => tui.selected().includes('user-0001'));
    await tui.press('s', 'u').until('Username▲');
    await tui.press('g', 'g').until(/ 1 of 1,500$/m);
    expect(tui.selected()).toContain('user-0001');
  });
});
