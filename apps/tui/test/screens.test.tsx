// Every screen in every state and width keeps the frame and sends nothing but text to the terminal.
import { AGENT_STATES, type AuditEntry } from '@quarterdeck/core';
import { build } from '@quarterdeck/sdk/testing';
import { describe, expect, it } from 'vitest';
import { IS_THOROUGH } from '../../../test/thoroughness.ts';
import { agent, apiToken, entry, FakeServer } from './fake-server.ts';
import { enrollment, kernelRule, operation, outage } from './fleet-rows.ts';
import { renderTui, type Tui } from './render-tui.tsx';

const ESC = '\u001B';
const HOSTILE = `${ESC}[2J${ESC}]0;x\u0007\u202Eevil\u202C \u200B\b\r\n\u0000\u009Bx a\u0301\u0302\u0303\u0304\u0305\u0306`;

/** Screens by their word, with their titles, and whether they have details. */
const SCREENS = [
  ['overview', 'Overview', false],
  ['logs', 'Errors', true],
  ['agents', 'Agents', true],
  ['tokens', 'Tokens', true],
  ['users', 'Users', true],
  ['audit', 'Audit', true],
  ['account', 'Account', true],
  ['messages', 'Messages', false],
  ['changes', 'Changes', true],
  ['requests', 'Requests', true],
  ['sources', 'Sources', false],
  ['enrolment', 'Enrolment', true],
  ['operations', 'Operations', true],
  ['kernels', 'Kernels', true],
  ['outages', 'Outages', true],
  ['profiles', 'Profiles', true],
  ['settings', 'Settings', true],
  ['info', 'Info', false],
] as const;

const nowS = (): number => Math.floor(Date.now() / 1000);

function auditEntry(id: number, text: string): AuditEntry {
  return {
    id,
    time: nowS() - id,
    action: text,
    actor: { kind: 'user', id: 1, name: text, credential: 'session:1', address: text },
    target: { kind: text, id },
    request_id: text,
    detail: { text },
    previous: 'a',
    hash: 'b',
  };
}

/** Creates a server with `count` rows of everything, all with the same text. */
function filled(count: number, text: string): FakeServer {
  const server = new FakeServer();
  const ids = Array.from({ length: count }, (_, index) => index + 1);
  server.errlog = ids.map((id) => entry(id, { log: text, source: text, note: text, app_id: id }));
  server.agents = ids.map((id) =>
    agent(id, {
      hostname: text,
      ip: text,
      env: text,
      note: text,
      online: id % 2 === 0,
      progress: { current: 5, detail: text },
      state: AGENT_STATES[id % 4] ?? 'online',
      reason: 'lost',
      labels: { site: text.slice(0, 200), tier: '' },
      bad_kernel: id % 2 === 0,
      bad_kernel_reason: text,
      cloned: id % 3 === 0,
      maintenance: true,
    }),
  );
  server.changes = ids.map((id) =>
    build.change({
      id,
      kind: text.slice(0, 64),
      name: text.slice(0, 200),
      before: text,
      after: text,
      hosts: [text, 'web-9'],
      host_count: 2,
      unknown_hosts: [text],
      labels: { site: text },
      service: text,
      author: text,
      created_by: text,
    }),
  );
  server.operations = ids.map((id) => operation(id, { hostname: text, detail: text, created_by: text }));
  server.enrollments = ids.map((id) => enrollment(id, { name: text, labels: { site: text }, created_by: text }));
  server.kernelRules = ids.map((id) => kernelRule(id, { pattern: text, reason: text, created_by: text }));
  server.outages = ids.map((id) => outage(id, { sample: [{ id, hostname: text }], ended: id === 1 ? null : nowS() }));
  server.tokens = ids.map((id) => apiToken(id, { name: text, username: text, last_address: text, scopes: [text] }));
  server.users = ids.map((id) => ({
    id,
    username: text,
    role: 'operator',
    disabled: id % 2 === 0,
    second_factor: id % 3 === 0,
    _created_unix: nowS(),
    _modified_unix: nowS(),
  }));
  server.sessions = ids.map((id) => ({
    id,
    current: id === 1,
    address: text,
    client: text,
    created: nowS(),
    last_used: nowS(),
    expire: (nowS() + 3600) * 1000,
    idle_until: 0,
  }));
  server.audit = ids.map((id) => auditEntry(id, text));
  return server;
}

const ROWS = 24;

/** Checks the frame: position at the top, hints at the bottom, nothing beyond the last row. */
function expectFrame(tui: Tui, title: string): void {
  const lines = tui.lines();
  expect(lines).toHaveLength(ROWS);
  expect(lines[0], tui.text()).toMatch(/^ Quarter/);
  expect(lines[1], tui.text()).toContain(title);
  expect(lines.at(-1), tui.text()).toContain('? help');
}

function expectOnlyText(tui: Tui): void {
  // Sequences that Ink itself sends: cursor, erasing, styles, screen modes, and line ends.
  const own = new RegExp(`${ESC}\\[[0-9;]*[ABCDEFGHJKm]|${ESC}\\[\\?(?:25|1049|2004|2026)[hl]|\\r?\\n`, 'g');
  expect(tui.raw().replaceAll(own, '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
}

/** Signs in by password, because an API token has no sessions to show. */
async function signIn(tui: Tui): Promise<void> {
  await tui.waitForText('Username');
  tui.type(`admin\t${tui.server.password}\r`);
  await tui.waitForText('● live');
}

/** Opens a screen by its word and waits for it. */
async function visit(tui: Tui, word: string, title: string): Promise<void> {
  tui.type(`:${word}\r`);
  // Wide windows name all screens, the open one in brackets.
  const isThere = (line: string): boolean =>
    line.includes('[') ? /[[ ]$/.test(line.split(`${title}]`)[0] ?? '') : line.includes(title);
  await tui.waitFor(title, () => isThere(tui.lines()[1] ?? '') && !tui.text().includes(`:${word}`));
}

const CONTENTS = [
  ['nothing', 0, ''],
  ['one row', 1, 'web-01'],
  ['many rows', 60, 'upstream timed out'],
  ['long text', 3, 'a very long text without an end '.repeat(40)],
  ['wide glyphs', 3, '残高不足です 👩‍💻 ❤️ 🇩🇪 हिन्दी '.repeat(6)],
  ['hostile text', 3, HOSTILE.repeat(3)],
] as const;

/** Widths: the narrowest, and one with room for details beside lists. */
const WIDTHS = IS_THOROUGH ? [40, 80, 120, 200] : [40, 120];

/** States to test in a width. The quick run tests all of them in the narrowest width only. */
const contentsOn = (columns: number) =>
  IS_THOROUGH || columns === WIDTHS[0] ? CONTENTS : CONTENTS.filter(([name]) => /many|hostile/.test(name));

describe.each(WIDTHS)('every screen on %i columns', (columns) => {
  it.each(contentsOn(columns))('holds %s', { timeout: 90_000 }, async (_, count, text) => {
    await using tui = renderTui({ server: filled(count, text), signedIn: false, columns, rows: ROWS });
    await signIn(tui);
    for (const [word, title, hasDetail] of SCREENS) {
      await visit(tui, word, title);
      await tui.waitForNoText(/Reading /);
      expectFrame(tui, title);
      if (!hasDetail || (count === 0 && !['requests', 'profiles', 'settings'].includes(word))) continue;
      // Details in their pane, full screen, and closed again.
      tui.press('enter');
      await tui.waitForText(/──/);
      expectFrame(tui, title);
      tui.press('+');
      tui.press('j', 'k');
      expectFrame(tui, title);
      tui.press('escape', 'escape');
      await tui.waitForText('Enter details');
    }
    expectOnlyText(tui);
  });

  it('says that it is reading, and what cannot be read', async () => {
    const server = filled(2, 'web-01');
    await using tui = renderTui({ server, signedIn: false, columns, rows: ROWS });
    await signIn(tui);
    server.isSlow = true;
    await visit(tui, 'users', 'Users');
    await tui.waitForText('Reading the users');
    server.isSlow = false;
    await tui.waitForText('web-01');
    for (const path of ['/admin-api/audit', '/api/agents', '/admin-api/user/session', '/admin-api/api_token']) {
      server.refuse.set(path, { code: 'internal', message: `No ${HOSTILE}` });
    }
    for (const [word, title] of [
      ['audit', 'Audit'],
      ['agents', 'Agents'],
      ['account', 'Account'],
      ['tokens', 'Tokens'],
    ] as const) {
      await visit(tui, word, title);
      await tui.waitForText(/No ␛\[2J/);
      expectFrame(tui, title);
    }
    expectOnlyText(tui);
  });

  it('keeps what it knows when the server is gone, and says how old that is', async () => {
    const server = filled(3, 'web-01');
    await using tui = renderTui({ server, columns, rows: ROWS });
    await tui.waitForText('● live');
    await visit(tui, 'agents', 'Agents');
    await tui.waitForText('web-01');
    server.isDown = true;
    server.dropStreams();
    tui.press('r');
    await tui.waitForText(/\ds old/);
    expect(tui.text()).toContain('web-01');
    expectFrame(tui, 'Agents');
    // Parts that need no server still work.
    await visit(tui, 'profiles', 'Profiles');
    await tui.waitForText('● current');
    expectFrame(tui, 'Profiles');
  });
});
