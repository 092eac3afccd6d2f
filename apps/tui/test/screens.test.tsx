// Every screen in every state and width keeps the frame and sends nothing but text to the terminal.
import { AGENT_STATES } from '@quarterdeck/core';
import { build } from '@quarterdeck/sdk/testing';
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../test/non-empty.ts';
import { everyThird, IS_THOROUGH } from '../../../test/thoroughness.ts';
import { agent, apiToken, entry, FakeServer, serverWithErrors } from './fake-server.ts';
import { enrollment, kernelRule, operation, outage } from './fleet-rows.ts';
import { openTui, type Tui } from './render-tui.tsx';

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
  ['enrollment', 'Enrollment', true],
  ['operations', 'Operations', true],
  ['kernels', 'Kernels', true],
  ['outages', 'Outages', true],
  ['profiles', 'Profiles', true],
  ['settings', 'Settings', true],
  ['info', 'Info', false],
] as const;

const nowS = (): number => Math.floor(Date.now() / 1000);

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
  server.users = ids.map((id) =>
    build.user({ id, username: text, disabled: id % 2 === 0, second_factor: id % 3 === 0 }),
  );
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
  server.audit = ids.map((id) =>
    build.auditEntry({
      id,
      action: text,
      actor: { kind: 'user', id: 1, name: text, credential: 'session:1', address: text },
      target: { kind: text, id },
      request_id: text,
      detail: { text },
    }),
  );
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

/**
 * Widths with screens and what they hold: from the narrowest to one with room for details beside lists. The usual run
 * has the narrowest and a wide one by turns, each with every third screen.
 */
const CASES = CONTENTS.flatMap(([name, count, text], index) =>
  (IS_THOROUGH ? [40, 80, 120, 200] : [index % 2 === 0 ? 40 : 120]).map(
    (columns) => [name, columns, count, text, everyThird(SCREENS, index)] as const,
  ),
);

it.each(nonEmpty(CASES))('every screen holds %s on %i columns', async (_, columns, count, text, screens) => {
  const server = filled(count, text);
  await using tui = await openTui('Username', { server, signedIn: false, columns, rows: ROWS, keepsLines: true });
  // By password, because an API token has no sessions to show.
  await tui.type(`admin\t${server.password}\r`).until('● live');
  for (const [word, title, hasDetail] of nonEmpty(screens)) {
    await visit(tui, word, title);
    await tui.waitForNoText(/Reading /);
    expectFrame(tui, title);
    if (!hasDetail || (count === 0 && !['requests', 'profiles', 'settings'].includes(word))) continue;
    // Details in their pane, full screen, and closed again.
    await tui.press('enter').until(/──/);
    expectFrame(tui, title);
    tui.press('+', 'j', 'k');
    expectFrame(tui, title);
    await tui.press('escape', 'escape').until('Enter details');
  }
  expect(tui.everShown().replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
});

describe('a message', () => {
  it('ends with its screen', async () => {
    await using tui = await openTui('1 of 1', { server: serverWithErrors(1) });
    await tui.type('bj').until('no such key');
    const saidMs = Date.now();
    await tui.waitFor('more than a second', () => Date.now() - saidMs > 1_000);
    expect(tui.text()).toContain('no such key');
    await tui.press('3').until('[3 Agents]');
    expect(tui.text()).not.toContain('no such key');
  });
});
