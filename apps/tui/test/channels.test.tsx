// Channels and their deliveries, from the keys to the server's answer.
import { describe, expect, it } from 'vitest';
import { delivery, webhook } from './alert-rows.ts';
import { FakeServer } from './fake-server.ts';
import { openTui, type Tui, type TuiOptions } from './render-tui.tsx';

const SECRET = /whsec_\w+/;

async function onChannels(options: TuiOptions & { readonly server: FakeServer }): Promise<Tui> {
  const tui = await openTui('● live', { columns: 100, ...options });
  await tui.type('gw').until(/\d of \d|No channels/);
  return tui;
}

describe('channels', () => {
  it('show the secret of a new one once, copy it, and forget it', async () => {
    const server = new FakeServer();
    await using tui = await onChannels({ server, columns: 80 });
    await tui.waitForText('Press a to create one.');
    await tui.press('a').until('Signed JSON, as Standard Webhooks define it.');
    await tui.type('pager\r').until('Enter an http or https address without a password.');
    await tui.press('https://pager.example.org/hook', 'tab', 'tab', 'tab', 'right').until('[ ] agent.removed');
    // A form that is longer than the window scrolls with the focus.
    expect(tui.text()).toMatch(/· 6 of \d+ ─╯/);
    expect(tui.text()).not.toContain('[ ] resync');
    await tui.press(...Array(6).fill('shift+tab')).until('› ', '[ ] resync');
    await tui.press(...Array(6).fill('tab')).until(/· 6 of \d+ ─╯/);
    await tui.press('enter').until('Choose at least one event.');
    await tui.press('tab', 'tab', 'space', 'enter').until(SECRET);
    expect(tui.text()).toContain('It is shown only once.');
    const [secret = ''] = SECRET.exec(tui.text()) ?? [];
    await tui.press('y').until('Sent to the clipboard');
    expect(tui.copied()).toBe(secret);
    await tui.press('escape').until(/▌ ● works\s+pager\s+pager\.example\.org\/hook\s+0\s+0/);
    await tui.type(':messages\r').until('No messages yet.');
    expect(tui.text()).not.toMatch(SECRET);
    expect(server.webhooks).toMatchObject([{ name: 'pager', kind: 'standard', types: ['errlog.new'] }]);
  });

  it('have the fields of their kind, and keep a secret address that is not typed again', async () => {
    const server = new FakeServer();
    server.webhooks = [webhook(1, { kind: 'slack', name: 'chat', url: 'https://hooks.slack.example.org' })];
    await using tui = await onChannels({ server });
    await tui.press('e').until('unchanged; it is a secret');
    await tui.type(' of the team\r').until('Changed chat of the team.');
    expect(server.webhooks[0]).toMatchObject({ name: 'chat of the team', url: 'https://hooks.slack.example.org' });
    await tui.press('a').until('New channel');
    tui.press('mail', 'tab', 'right', 'right', 'right', 'right', 'tab');
    await tui.type('nobody\r').until('Enter one or more e-mail addresses.');
    await tui.press('ctrl+u', 'ops@example.org, on-call@example.org\r').until('Created mail.');
    expect(server.webhooks[0]).toMatchObject({ kind: 'email', to: ['ops@example.org', 'on-call@example.org'] });
  });

  it('ask for the secrets of their kind without showing them, and for the parts of messages', async () => {
    const server = new FakeServer();
    await using tui = await onChannels({ server });
    await tui.press('a').until('New channel');
    tui.press('on call', 'tab', ...Array(6).fill('right'));
    await tui.press('tab', 'tab').until('Messages of a Telegram bot', 'Bot token');
    await tui.type('no token\r').until('Enter the bot token: of @BotFather: 123456:ABC');
    tui.press('ctrl+u', '123456:telegram-secret-0123456789', 'tab', '-1001234567890', 'tab', '[shop]');
    await tui.press('tab', 'right').until('[ ] the suspected change');
    await tui.press('enter').until('Choose at least one part.');
    await tui.press('tab', 'tab', 'tab', 'space').until('[x] the suspected change');
    expect(tui.text()).not.toContain('telegram-secret');
    await tui.press('enter').until('Created on call.');
    expect(server.webhooks[0]).toMatchObject({
      kind: 'telegram',
      url: 'https://api.telegram.org',
      chat: '-1001234567890',
      secrets: ['token'],
      prefix: '[shop]',
      parts: ['cause'],
    });
    // Secrets that nobody types again stay.
    await tui.press('e').until('unchanged; it is a secret');
    await tui.type(' tonight\r').until('Changed on call tonight.');
    expect(server.webhooks[0]).toMatchObject({ secrets: ['token'], chat: '-1001234567890', parts: ['cause'] });
  });

  it('say that their receiver is gone', async () => {
    const server = new FakeServer();
    const since = Date.now() / 1000 - 60;
    server.webhooks = [webhook(1, { enabled: false, gone_since: since }), webhook(2, { enabled: false })];
    await using tui = await onChannels({ server });
    expect(tui.lines().slice(3, 5)).toEqual([
      expect.stringMatching(/✖ gone\s+channel-1/),
      expect.stringMatching(/○ disabled\s+channel-2/),
    ]);
  });

  it('say since when they fail, are tested, rotated and deleted', async () => {
    const server = new FakeServer();
    const since = Date.now() / 1000 - 7200;
    server.webhooks = [webhook(1, { name: 'pager', waiting: 12, dead: 3, failing_since: since, rules: 2 })];
    await using tui = await onChannels({ server });
    expect(tui.lines()[3]).toMatch(/✖ failing\s+pager\s.*12\s+3\s+2h ago/);
    await tui.press('V').until('Queued a test message to pager.');
    await tui.press('ctrl+r').until('Messages are signed with both secrets until');
    await tui.press('enter').until(SECRET);
    await tui.press('escape').untilGone(SECRET);
    await tui.press('D').until('2 rules will no longer send to it.');
    await tui.press('y').until('Deleted pager.');
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
    await tui.press('j', 'enter').until('[Deliveries]', '1 of 2');
    expect(tui.lines()[3]).toMatch(/▌ ◇ waiting\s+\S+\s+alert\.firing\s+2\s+503: busy ␛\[31m\s+in 10 minutes/);
    expect(tui.lines()[4]).toMatch(/✖ dead\s+\S+\s+alert\.firing\s+14\s+connection refused/);
    await tui.press('A').until('It is waiting already');
    await tui.press('j', 'enter', '+').until(/Message id +msg_11[\s\S]*"type": "alert\.firing"/);
    await tui.press('escape', 'escape', 'A').until('It keeps its message id: receivers drop what they have.');
    await tui.press('y').until('Queued alert.firing msg_11.', /◇ waiting[\s\S]*◇ waiting/);
    await tui.press('escape').until('Channels');
    await tui.press('k', 'enter').until(/✓ delivered\s+\S+\s+alert\.test\s+1\s+200/);
    expect(tui.lines().slice(3, -2).join()).not.toContain('alert.firing');
  });

  it('ask for a channel where none was chosen', async () => {
    await using tui = await openTui('● live');
    await tui.type(':deliveries\r').until('No channel is chosen.', 'Press g w to list the channels');
  });
});
