// Channels and their deliveries, from the keys to the server's answer.
import { describe, expect, it } from 'vitest';
import { delivery, webhook } from './alert-rows.ts';
import { FakeServer } from './fake-server.ts';
import { renderTui, type Tui, type TuiOptions } from './render-tui.tsx';

const SECRET = /whsec_\w+/;

async function onChannels(options: TuiOptions & { readonly server: FakeServer }): Promise<Tui> {
  const tui = renderTui({ columns: 100, ...options });
  await tui.waitForText('● live');
  tui.type('gw');
  await tui.waitForText(/\d of \d|No channels/);
  return tui;
}

describe('channels', () => {
  it('show the secret of a new one once, copy it, and forget it', async () => {
    const server = new FakeServer();
    await using tui = await onChannels({ server, columns: 80 });
    await tui.waitForText('Press a to create one.');
    tui.press('a');
    await tui.waitForText('Signed JSON, as Standard Webhooks define it.');
    tui.type('pager\r');
    await tui.waitForText('Enter an http or https address without a password.');
    tui.type('https://pager.example.org/hook');
    tui.press('tab', 'right');
    await tui.waitForText('[ ] agent.outage');
    // A form that is longer than the window scrolls with the focus.
    expect(tui.text()).toContain('· 4 of 23 ─╯');
    expect(tui.text()).not.toContain('[ ] resync');
    tui.press('shift+tab', 'shift+tab', 'shift+tab', 'shift+tab');
    await tui.waitForText('› ');
    await tui.waitForText('[ ] resync');
    tui.press('tab', 'tab', 'tab', 'tab');
    await tui.waitForText('· 4 of 23');
    tui.press('enter');
    await tui.waitForText('Choose at least one event.');
    tui.press('tab', 'tab', 'space', 'enter');
    await tui.waitForText(SECRET);
    expect(tui.text()).toContain('It is shown only once.');
    const [secret = ''] = SECRET.exec(tui.text()) ?? [];
    tui.press('y');
    await tui.waitForText('Sent to the clipboard');
    expect(tui.raw()).toContain(Buffer.from(secret).toString('base64'));
    tui.press('escape');
    await tui.waitForText(/▌ ● works\s+pager\s+pager\.example\.org\/hook\s+0\s+0/);
    tui.type(':messages\r');
    await tui.waitForText('No messages yet.');
    expect(tui.text()).not.toMatch(SECRET);
    expect(server.webhooks).toMatchObject([{ name: 'pager', kind: 'standard', types: ['errlog.new'] }]);
  });

  it('have the fields of their kind, and keep a secret address that is not typed again', async () => {
    const server = new FakeServer();
    server.webhooks = [webhook(1, { kind: 'slack', name: 'chat', url: 'https://hooks.slack.example.org' })];
    await using tui = await onChannels({ server });
    tui.press('e');
    await tui.waitForText('unchanged; it is a secret');
    tui.type(' of the team\r');
    await tui.waitForText('Changed chat of the team.');
    expect(server.webhooks[0]).toMatchObject({ name: 'chat of the team', url: 'https://hooks.slack.example.org' });
    tui.press('a');
    await tui.waitForText('New channel');
    tui.type('mail');
    tui.press('tab', 'right', 'right', 'right', 'right', 'tab');
    tui.type('nobody\r');
    await tui.waitForText('Enter one or more e-mail addresses.');
    tui.press('ctrl+u');
    tui.type('ops@example.org, on-call@example.org\r');
    await tui.waitForText('Created mail.');
    expect(server.webhooks[0]).toMatchObject({ kind: 'email', to: ['ops@example.org', 'on-call@example.org'] });
  });

  it('say since when they fail, are tested, rotated and deleted', async () => {
    const server = new FakeServer();
    const since = Date.now() / 1000 - 7200;
    server.webhooks = [webhook(1, { name: 'pager', waiting: 12, dead: 3, failing_since: since, rules: 2 })];
    await using tui = await onChannels({ server });
    expect(tui.lines()[3]).toMatch(/✖ failing\s+pager\s.*12\s+3\s+2h ago/);
    tui.press('V');
    await tui.waitForText('Queued a test message to pager.');
    tui.press('ctrl+r');
    await tui.waitForText('Messages are signed with both secrets until');
    tui.press('enter');
    await tui.waitForText(SECRET);
    tui.press('escape');
    await tui.waitForNoText(SECRET);
    tui.press('D');
    await tui.waitForText('2 rules will no longer tell it.');
    tui.press('y');
    await tui.waitForText('Deleted pager.');
    expect(server.webhooks).toEqual([]);
  });
});

describe('deliveries', () => {
  it('show attempts, answer and message, and are sent again', async () => {
    const server = new FakeServer();
    server.webhooks = [webhook(2, { name: 'chat' }), webhook(1, { name: 'pager' })];
    const next = Date.now() / 1000 + 600;
    server.deliveries = new Map([
      [
        1,
        [
          delivery(12, {
            state: 'waiting',
            attempts: 2,
            status: 503,
            error: 'The receiver answers 503: busy \u001B[31m',
            next_attempt: next,
          }),
          delivery(11, { state: 'dead', attempts: 14, status: null, error: 'connection refused' }),
        ],
      ],
      [2, [delivery(21, { type: 'alert.test' })]],
    ]);
    await using tui = await onChannels({ server });
    tui.press('j', 'enter');
    await tui.waitForText('[Deliveries]');
    await tui.waitForText('1 of 2');
    expect(tui.lines()[3]).toMatch(/▌ ◇ waiting\s+\S+\s+alert\.firing\s+2\s+503: busy ␛\[31m\s+in 10 minutes/);
    expect(tui.lines()[4]).toMatch(/✖ dead\s+\S+\s+alert\.firing\s+14\s+connection refused/);
    tui.press('A');
    await tui.waitForText('It is waiting already');
    tui.press('j', 'enter', '+');
    await tui.waitForText(/Message id +msg_11[\s\S]*"type": "alert\.firing"/);
    tui.press('escape', 'escape', 'A');
    await tui.waitForText('It keeps its message id: receivers drop what they have.');
    tui.press('y');
    await tui.waitForText('Queued alert.firing msg_11.');
    await tui.waitForText(/◇ waiting[\s\S]*◇ waiting/);
    tui.press('escape');
    await tui.waitForText('Channels');
    tui.press('k', 'enter');
    await tui.waitForText(/✓ delivered\s+\S+\s+alert\.test\s+1\s+200/);
    expect(tui.lines().slice(3, -2).join()).not.toContain('alert.firing');
  });

  it('ask for a channel where none was chosen', async () => {
    await using tui = renderTui({});
    await tui.waitForText('● live');
    tui.type(':deliveries\r');
    await tui.waitForText('No channel is chosen.');
    await tui.waitForText('Press g w to list the channels');
  });
});
