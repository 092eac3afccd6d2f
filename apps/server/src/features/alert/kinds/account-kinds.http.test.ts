// Rules about credentials and the audit log: tokens, sign-ins, the chain.
import { statement } from '@quarterdeck/core/db';
import { createClient } from '@quarterdeck/sdk';
import { afterEach, describe, expect, it } from 'vitest';
import { alertCalls } from '../../../../test/alert-kind-calls.ts';
import { record } from '../../../../test/audit-entries.ts';
import { removeFleet, useSteadyApi } from '../../../../test/steady-api.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const api = useSteadyApi();
const calls = alertCalls(api, () => api.server.jobs.runAll());
afterEach(async () => {
  await removeFleet(api);
  await api.server.deps.db.write(({ prisma }) => prisma.apiToken.deleteMany());
  // Failed sign-ins and uses of replaced secrets count for a day.
  api.advance(2 * DAY_MS);
});

const change = (text: string, ...values: (string | number)[]) =>
  api.server.deps.db.write((tx) => tx.sql.run(statement(text), ...values));

describe('a rule token.expiring', () => {
  const token = (name: string, inMs: number) =>
    api.admin.apiToken.create({ body: { name, expire: inMs === 0 ? 0 : api.now() + inMs } });

  it('notifies of each token once, and when it was extended, disabled, deleted or has expired', async () => {
    const [extended, disabled, deleted, expired] = [
      await token('ci', 3 * DAY_MS),
      await token('', 4 * DAY_MS),
      await token('deploy', 5 * DAY_MS),
      await token('old', DAY_MS),
    ];
    await token('late', 8 * DAY_MS);
    await change(
      `UPDATE api_token SET last_used_ms = 1000, last_address = '192.0.2.7', last_client = 'curl' WHERE id = ?`,
      extended.id,
    );
    await token('never', 0);
    const rule = await calls.watch({ when: { kind: 'token.expiring' } });
    await calls.round();
    const alerts = await calls.alertsOf(rule);
    expect(alerts.map(({ key, messages }) => [key, messages])).toEqual(
      [expired, extended, disabled, deleted].map(({ id }) => [`token:${id}`, 1]),
    );
    expect(alerts[1]).toMatchObject({
      title: expect.stringMatching(/^API token "ci" of admin expires at 20..-..-.. ..:.. UTC$/),
      detail: { token_id: extended.id, name: 'ci', username: 'admin' },
    });
    expect(
      alerts.map(({ detail: { last_used, last_address, last_client } }) => [last_used, last_address, last_client]),
    ).toEqual(
      [expired, extended, disabled, deleted].map(({ id }) =>
        id === extended.id ? [1, '192.0.2.7', 'curl'] : [null, '', ''],
      ),
    );
    expect(alerts[2]?.title).toContain(`API token ending in ${disabled.token.slice(-4)} of admin`);
    await api.admin.apiToken.update({
      params: { id: extended.id },
      body: { expire: api.now() + 30 * DAY_MS },
    });
    await api.admin.apiToken.disable({ params: { id: disabled.id } });
    await api.admin.apiToken.remove({ params: { id: deleted.id } });
    api.advance(DAY_MS + MINUTE_MS);
    await calls.round();
    const open = await calls.alertsOf(rule, 'firing');
    expect(open.map(({ title }) => title)).toEqual([expect.stringContaining('"late"')]);
    expect(JSON.stringify(await calls.alertsOf(rule))).not.toContain('qd_');
  });

  it('is previewed from the tokens that are left', async () => {
    await token('ci', 6.5 * DAY_MS);
    await token('long ago', 3 * DAY_MS);
    await change('UPDATE api_token SET modified_ms = ? WHERE name <> ?', api.now() - 9 * DAY_MS, '');
    const preview = await calls.preview({ when: { kind: 'token.expiring' } });
    expect(preview).toMatchObject({ fired: 1, complete: false });
    expect(preview.examples[0]?.title).toContain('"ci"');
  });
});

describe('a rule token.reused', () => {
  it('notifies of the use of a replaced secret', async () => {
    const made = await api.admin.apiToken.create({ body: { name: 'ci' } });
    await api.admin.apiToken.rotate({ params: { id: made.id }, body: {} });
    const rule = await calls.watch({ when: { kind: 'token.reused' }, cooldown: 0 });
    const reuse = async () => {
      const client = createClient({ url: api.url, apiToken: made.token, retries: 0 });
      await expect(client.apiToken.self()).rejects.toMatchObject({ status: 401 });
    };
    const recorded = () => api.server.deps.db.read.prisma.audit.count({ where: { action: 'api_token.reused' } });
    await reuse();
    await expect.poll(recorded).toBe(1);
    await calls.round();
    await calls.round();
    expect(await calls.alertsOf(rule)).toMatchObject([
      {
        key: `token:${made.id}`,
        title: expect.stringMatching(/^A replaced secret of API token "ci" was used from \S*127\.0\.0\.1$/),
        messages: 1,
      },
    ]);
    api.advance(MINUTE_MS + 1_000);
    await reuse();
    await expect.poll(recorded).toBe(2);
    await calls.round();
    expect(await calls.alertsOf(rule)).toHaveLength(2);
    const preview = await calls.preview({ when: { kind: 'token.reused' }, cooldown: 0 });
    expect(preview).toMatchObject({ fired: 2, causes: 1, complete: true });
  });
});

describe('a rule signin.failed', () => {
  const guess = async (username: string, times: number) => {
    for (let i = 0; i < times; i += 1) {
      const body = JSON.stringify({ username, password: 'wrong password, again' });
      const { status } = await api.fetch('/admin-api/user/login', { method: 'POST', body });
      expect([401, 429]).toContain(status);
    }
  };

  it('counts attempts that the throttle refuses, and names accounts and addresses', async () => {
    const draft = { when: { kind: 'signin.failed', count: 10, within: 600 } } as const;
    const rule = await calls.watch(draft);
    await guess('admin', 6);
    await guess('hunter2-is-my-password', 4);
    await calls.round();
    expect(await calls.alertsOf(rule)).toEqual([]);
    await guess('admin', 9);
    await calls.round();
    await calls.round();
    const [alert, ...more] = await calls.alertsOf(rule);
    expect(more).toEqual([]);
    expect(alert).toMatchObject({
      key: 'signin',
      state: 'firing',
      messages: 1,
      title: expect.stringMatching(/^19 sign-ins failed within 10 min, most of them for admin from \S*127\.0\.0\.1$/),
      detail: {
        attempts: 19,
        within: 600,
        accounts: [{ name: 'admin', attempts: 15 }],
        addresses: [{ attempts: 19 }],
      },
    });
    expect(JSON.stringify(alert)).not.toContain('hunter2');
    expect(await calls.preview(draft)).toMatchObject({ fired: 1, complete: true });
    api.advance(11 * MINUTE_MS);
    await calls.round();
    expect(await calls.alertsOf(rule)).toMatchObject([{ state: 'resolved' }]);
    // A changed log, as after an attack, does not stop the rule.
    const where = { action: { startsWith: 'user.login' } };
    const entries = await api.server.deps.db.read.prisma.audit.findMany({ where });
    await change("UPDATE audit SET detail = 'x' WHERE action LIKE ?", 'user.login%');
    const over = await calls.preview({ ...draft, when: { ...draft.when, count: 19 } });
    expect(over.fired).toBe(0);
    for (const { id, detail } of entries) await change('UPDATE audit SET detail = ? WHERE id = ?', detail, Number(id));
  });

  it('is previewed as often as the limit was exceeded', async () => {
    const draft = { when: { kind: 'signin.failed', count: 2, within: 60 }, cooldown: 0 } as const;
    for (let i = 0; i < 3; i += 1) {
      for (let n = 0; n < 5; n += 1) await record(api, { action: 'user.login_failed', actor: null });
      api.advance(10 * MINUTE_MS);
    }
    expect(await calls.preview(draft)).toMatchObject({ fired: 3, causes: 1, complete: true });
    api.advance(DAY_MS - 15 * MINUTE_MS);
    expect(await calls.preview(draft)).toMatchObject({ fired: 1 });
  });
});

describe('a rule audit.broken', () => {
  it('notifies of the first broken entry once, and that the log is whole again', async () => {
    const rule = await calls.watch({ when: { kind: 'audit.broken' } });
    expect(await calls.alertsOf(rule)).toEqual([]);
    await record(api);
    const id = (await api.admin.audit.list({ query: { action: 'test.done', page_size: 1 } })).data[0]?.id ?? 0;
    await change("UPDATE audit SET detail = '[]' WHERE id = ?", id);
    for (let i = 0; i < 2; i += 1) {
      api.advance(4 * MINUTE_MS);
      await calls.round();
    }
    expect(await calls.alertsOf(rule)).toMatchObject([
      {
        key: 'audit',
        state: 'firing',
        messages: 1,
        title: `The audit log is broken at entry ${id}: it was changed by other means than this server`,
        detail: { broken_at: id },
      },
    ]);
    expect(await calls.preview({ when: { kind: 'audit.broken' } })).toMatchObject({ fired: 1, complete: false });
    await change("UPDATE audit SET detail = '{}' WHERE id = ?", id);
    api.advance(4 * MINUTE_MS);
    await calls.round();
    expect(await calls.alertsOf(rule)).toMatchObject([{ state: 'resolved' }]);
  });
});
