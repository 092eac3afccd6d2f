// Commands that change many things, or create one, on a real server.
import { describe, expect, it } from 'vitest';
import { inTurn, ok, startServer } from '../../../packages/sdk/test/start-server.ts';
import { PASSWORD } from '../../server/test/start-api.ts';
import { type Entry, useMaster } from './master.ts';
import { newUser } from './run-cli.ts';

const { api, master, run, json, send } = useMaster();

describe('changes of many', () => {
  it('preview, want --yes without a terminal, and report', async () => {
    const entries = await send('many', 'alpha failed', 'beta failed', 'gamma failed');
    const ids = entries.map(({ id }) => id);
    expect(await run('errors resolve --filter service:many --dry-run -o json')).toMatchObject({
      code: 0,
      out: expect.stringContaining('"matched": 3'),
    });
    const unanswered = await run('errors resolve --filter service:many');
    expect(unanswered).toMatchObject({ code: 2, err: expect.stringContaining('Resolve 3 error groups?') });
    const states = async () => (await json<Entry[]>('errors', '--service', 'many')).map(({ state }) => state).join(' ');
    expect(await states()).toBe('new new new');
    expect(await run('errors resolve --filter service:many --yes')).toMatchObject({
      code: 0,
      err: 'Resolved 3 of 3 error groups.\n',
    });
    expect(await states()).toBe('resolved resolved resolved');
    const reopened = await master().run(['errors', 'reopen', '-', '--yes'], { input: `${ids[0]} ${ids[1]}\n` });
    expect(reopened.err).toBe('Reopened 2 of 2 error groups.\n');
    expect(await run(`errors mute ${ids[2]} --until 1h --columns until -o ndjson`)).toEqual({
      code: 0,
      out: '{"until":"1h"}\n',
      err: '',
    });
  });

  it('send as many requests as their ids need, and add the answers up', async () => {
    const answer = (matched: number) => ok({ matched, done: matched, failed: [{ id: matched, msg: 'is gone' }] });
    await using server = await startServer(inTurn(answer(9_000), answer(1), answer(9_000), answer(1)));
    using user = newUser({ url: server.url, token: 'qd_t_x' });
    const input = Array.from({ length: 10_002 }, (_, n) => n + 1).join('\n');
    const ran = await user.run(['errors', 'resolve', '-', '--yes'], { input });
    expect(ran).toMatchObject({ code: 1, err: expect.stringContaining('Resolved 9,001 of 9,001 error groups.') });
    expect(ran.err).toContain('error group 9000: is gone');
    const sizes = server.seen.map(({ body }) => (JSON.parse(body) as { ids: number[] }).ids.length);
    expect(sizes).toEqual([10_000, 2, 10_000, 2]);
  });

  it('refuse to change everything by accident', async () => {
    expect(await run('errors resolve --yes')).toMatchObject({ code: 2 });
    expect(await run('agents delete --yes')).toMatchObject({ code: 2 });
    expect(await run('agents label site=north --yes')).toMatchObject({ code: 2 });
    const nothing = { code: 0, err: 'Nothing matches; nothing was changed.\n' };
    expect(await master().run(['errors', 'resolve', '-', '--all', '--yes'], { input: '\n' })).toMatchObject(nothing);
    expect(await run('errors resolve 1 --service many --yes')).toMatchObject({ code: 2 });
    expect(await run('agents label 1 site=north --all --yes')).toMatchObject({ code: 2 });
  });

  it('write notes and labels, keep the other labels, and show what they would send', async () => {
    const [entry] = await send('noted', 'needs a note');
    const note = await master().run(['errors', 'note', String(entry?.id), '-', '--jq', '.note'], {
      input: 'two\nlines\n',
    });
    expect(note.out).toBe('two\nlines\n');
    const { id } = await api().agent();
    expect(await run(`agents label ${id} site=north tier=a --jq .labels`)).toMatchObject({
      out: '{"site":"north","tier":"a"}\n',
    });
    expect((await run(`agents label ${id} tier- rack=7 --dry-run`)).out).toBe(
      `PUT /api/agents/${id}\n{\n  "labels": {\n    "site": "north",\n    "rack": "7"\n  }\n}\n`,
    );
    await run(`agents label ${id} tier- rack=7`);
    const { labels } = await api().admin.agent.get({ params: { id }, query: { detail: 1 } });
    expect(labels).toEqual({ site: 'north', rack: '7' });
  });

  it('loses no label of others who change the agent meanwhile', async () => {
    const { id } = await api().agent();
    const names = ['a', 'b', 'c', 'd'];
    const ran = await Promise.all(names.map((name) => run(`agents label ${id} ${name}=1`)));
    expect(ran.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    const { labels } = await api().admin.agent.get({ params: { id }, query: { detail: 1 } });
    expect(Object.keys(labels ?? {}).sort()).toEqual(names);
  });

  it('reach agents by filters of the list that the server does not know', async () => {
    const one = await api().agent();
    const hostname = `host-${one.nodeId}`;
    expect(await run(`agents maintenance on --filter hostname:${hostname} --yes`)).toMatchObject({ code: 0 });
    expect((await run(`agents --filter hostname:${hostname} --jq .[].maintenance`)).out).toBe('true\n');
    expect((await run(`agents maintenance off ${one.id} --jq .maintenance`)).out).toBe('false\n');
    expect(await run(`agents operate ${one.id} --kind collect_facts --jq .state`)).toMatchObject({
      out: '"queued"\n'.replaceAll('"', ''),
    });
    await run(`agents delete ${one.id}`);
    expect(await run(`agents get ${one.id}`)).toMatchObject({ code: 5 });
    await run(`agents restore ${one.id}`);
    expect((await run(`agents history ${one.id} --columns kind -o csv`)).out).toContain('restored');
  });

  it('go on after a failure and say which one', async () => {
    const { id } = await api().admin.apiToken.create({ body: { name: 'one' } });
    const ran = await run(`tokens revoke ${id} 999999 --yes`);
    expect(ran).toMatchObject({ code: 5, err: expect.stringContaining('API token 999999: Not found') });
    expect(await run(`tokens get ${id}`)).toMatchObject({ code: 5 });
  });
});

describe('creations', () => {
  it('take options, or a body from standard input that options override', async () => {
    const created = await json<{ name: string; expire: number; scopes: string[]; token: string }>(
      ...['tokens', 'create', '--name', 'ci', '--expire', '90d', '--scopes', 'errlog:read,errlog:write'],
    );
    expect(created).toMatchObject({ name: 'ci', token: expect.stringMatching(/^qd_t_/) });
    expect(Math.abs(created.expire - Date.now() - 90 * 86_400_000)).toBeLessThan(60_000);
    const body = JSON.stringify({ kind: 'deploy', name: 'shop', after: '1.4.2' });
    const ran = await master().run(['change', 'create', '--body', '-', '--name', 'cart', '--jq', '.id'], {
      input: body,
    });
    expect((await run(`change get ${ran.out.trim()} --jq [.name,.after]`)).out).toBe('["cart","1.4.2"]\n');
    expect((await run(`change effects ${ran.out.trim()} --within 1h --jq .verdict`)).out).toBe('too_early\n');
    expect(await run('change create --kind deploy')).toMatchObject({ code: 2, err: expect.stringContaining('--name') });
    expect(await master().run(['change', 'create', '--body', '-'], { input: '[]' })).toMatchObject({ code: 2 });
  });

  it('take secrets from standard input only', async () => {
    const ann = ['users', 'create', '--username', 'ann', '--role', 'viewer'];
    expect(await master().run([...ann, '--password', 'x'])).toMatchObject({ code: 2 });
    expect(await master().run(ann)).toMatchObject({ code: 2 });
    expect(await master().run([...ann, '--password-stdin'], { input: `${PASSWORD}\n` })).toMatchObject({ code: 0 });
    const { token } = await api().admin.apiToken.create({ body: { name: 'leaked' } });
    const revoked = await master().run(['tokens', 'revoke', '--secrets-stdin'], { input: `${token}\nnonsense\n` });
    expect(revoked.out).toBe('1 of 2 secrets were valid and are revoked.\n');
    expect(await master().run(['errors', `--nope=${token}`])).toMatchObject({
      err: expect.not.stringContaining(token),
    });
  });
});
