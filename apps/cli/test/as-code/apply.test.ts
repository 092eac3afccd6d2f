// The command `apply`, on a real server.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Answer, send, startServer } from '../../../../packages/sdk/test/start-server.ts';
import { word } from '../../../server/test/word.ts';
import { newUser } from '../run-cli.ts';
import { NOTHING, pair, type Rule, useFolders } from './folders.ts';

const { api, master, json, folderOf, ruleNamed, channelNamed } = useFolders();

/** Passes requests on to the server, after an act of somebody else. */
function passOn(before: (request: Parameters<Answer>[1]) => Promise<void>): Answer {
  const pass: (...call: Parameters<Answer>) => Promise<void> = async (response, request) => {
    await before(request);
    const { method, url, headers, body } = request;
    const sent = Object.entries(headers).filter(([name]) => ['api-token', 'if-match', 'content-type'].includes(name));
    const answer = await fetch(`${api().url}${url}`, {
      method,
      headers: sent.map(([name, value]): [string, string] => [name, String(value)]),
      ...(method === 'GET' ? {} : { body }),
    });
    const tag = answer.headers.get('etag');
    send(response, answer.status, await answer.json(), tag === null ? {} : { etag: tag });
  };
  return (...call) => void pass(...call);
}

describe('apply', () => {
  it('creates channels before the rules that name them, and has nothing to do the second time', async () => {
    const { name, rule, files } = pair();
    const { apply } = folderOf(files);
    expect(await apply()).toEqual({
      code: 0,
      out:
        `+ channels.${name}\n    url: "https://example.org/${name}"\n` +
        `+ alerts."${rule}"\n    when.kind: "errlog.new"\n    filter: "service:${name}"\n    channels: ["${name}"]\n`,
      err: '',
    });
    const [made] = await ruleNamed(rule);
    expect(made?.channels).toEqual([(await channelNamed(name))?.id]);
    expect(await apply([])).toEqual(NOTHING);
  });

  it('creates, changes and prunes trust rules', async () => {
    const name = word();
    const fields = (scope: string) =>
      `[trust.${name}]\nissuer = "https://ci.example.org"\naudience = "quarterdeck"\nsubject = "repo:org/*"\nscopes = ["${scope}"]\n`;
    const { apply, put } = folderOf({ 'trust.toml': fields('change:write') });
    expect(await apply()).toMatchObject({ code: 0, out: expect.stringContaining(`+ trust.${name}`) });
    expect(await apply([])).toEqual(NOTHING);
    put('trust.toml', fields('errlog:read'));
    expect(await apply()).toMatchObject({
      code: 0,
      out: expect.stringContaining('scopes: ["change:write"] -> ["errlog:read"]'),
    });
    put('trust.toml', '');
    expect(await apply(['--prune', '--yes'])).toMatchObject({
      code: 0,
      out: expect.stringContaining(`- trust.${name}`),
    });
  });

  it('shows what a change would do, and does it only with a yes', async () => {
    const { rule, files } = pair();
    const { apply, put } = folderOf(files);
    await apply();
    put(
      'alerts.toml',
      `${files['alerts.toml']}cooldown = 60\n`.replace('errlog.new', 'errlog.count", count = 7, per = "service'),
    );
    const [{ id } = { id: 0 }] = await ruleNamed(rule);
    const diff =
      `~ alerts."${rule}" (id ${id})\n    when.kind: "errlog.new" -> "errlog.count"\n    when.count: (none) -> 7\n` +
      '    when.within: (none) -> 300\n    when.per: (none) -> "service"\n    cooldown: 3600 -> 60\n';
    expect(await apply(['--dry-run'])).toEqual({ code: 0, out: diff, err: '' });
    expect(await apply([])).toMatchObject({
      code: 2,
      out: diff,
      err: expect.stringContaining('1 to change? There is no terminal'),
    });
    expect(await apply([], { answer: async () => 'n' })).toMatchObject({
      code: 1,
      err: expect.stringContaining('Nothing was changed.'),
    });
    expect((await ruleNamed(rule))[0]).toMatchObject({ cooldown: 3600, when: { kind: 'errlog.new' } });
    expect(await apply([], { answer: async () => 'y' })).toMatchObject({ code: 0, out: diff });
    const when = { kind: 'errlog.count', count: 7, within: 300, per: 'service' };
    expect((await ruleNamed(rule))[0]).toMatchObject({ id, cooldown: 60, when });
    expect(await apply([])).toEqual(NOTHING);
  });

  it('reads YAML, joins files of one noun, and finds the folder in the environment', async () => {
    const [a, b] = [word(), word()];
    const { path, apply } = folderOf({
      'a.yaml': `alerts:\n  ${a}:\n    when: {kind: agent.outage}\n`,
      'b.yml': `# none yet\n`,
      'c.toml': `[alerts.${b}]\nwhen.kind = "agent.outage"\n`,
    });
    mkdirSync(join(path, 'old'));
    const ran = await master().run(['apply', '--yes'], { environment: { QUARTERDECK_APPLY: path } });
    expect(ran).toMatchObject({ code: 0, err: '' });
    expect([(await ruleNamed(a)).length, (await ruleNamed(b)).length]).toEqual([1, 1]);
    expect(await apply([])).toEqual(NOTHING);
  });

  it('renames an entry whose id the table has, and otherwise leaves the old one', async () => {
    const { name, rule, files } = pair();
    const { apply, put } = folderOf(files);
    await apply();
    const [made] = await ruleNamed(rule);
    const channel = await channelNamed(name);
    put('channels.toml', `[channels.${name}-2]\nid = ${channel?.id}\nurl = "https://example.org/${name}"\n`);
    put('alerts.toml', files['alerts.toml'].replace(`["${name}"]`, `["${name}-2"]`).replace(rule, `${name} broke`));
    const ran = await apply();
    expect(ran.out).toContain(`~ channels.${name}-2 (id ${channel?.id})\n    name: "${name}" -> "${name}-2"\n`);
    expect(ran.out).toContain(`+ alerts."${name} broke"\n`);
    expect(await ruleNamed(rule)).toEqual([made]);
    expect(await apply([])).toEqual(NOTHING);
  });

  it('deletes with --prune what it has created, and nothing else', async () => {
    const { name, rule, files } = pair();
    const own = word();
    const byHand = await json<Rule>('alerts', 'create', '--name', own, '--kind', 'agent.outage');
    const found = `[alerts.${own}]\nwhen.kind = "agent.outage"\ncooldown = 60\n`;
    const { path, apply, put } = folderOf({ ...files, 'found.toml': found });
    await apply();
    const [{ id } = { id: 0 }] = await ruleNamed(rule);
    const channel = await channelNamed(name);
    for (const file of ['channels.toml', 'alerts.toml', 'found.toml']) put(file, '# empty\n');
    expect(await apply([])).toEqual(NOTHING);
    expect(await apply(['--prune', '--yes'])).toEqual({
      code: 0,
      out: `- alerts."${rule}" (id ${id})\n- channels.${name} (id ${channel?.id})\n`,
      err: '',
    });
    expect(await ruleNamed(rule)).toEqual([]);
    expect(await channelNamed(name)).toBeUndefined();
    expect(await ruleNamed(own)).toEqual([{ ...byHand, cooldown: 60, modified: expect.any(Number) }]);
    expect(await apply(['--prune'])).toEqual(NOTHING);
    expect(readFileSync(join(path, '.quarterdeck-applied.toml'), 'utf8')).not.toContain(name);
  });

  it('does not delete a channel that a rule of somebody else sends to', async () => {
    const { name, rule, files } = pair();
    const { apply, put } = folderOf(files);
    await apply();
    const channel = await channelNamed(name);
    const options = ['--kind', 'agent.outage', '--channels', String(channel?.id)];
    const { id } = await json<Rule>('alerts', 'create', '--name', `${name} of others`, ...options);
    for (const file of ['channels.toml', 'alerts.toml']) put(file, '');
    expect(await apply(['--prune', '--yes'])).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining(
        `channels.${name}: cannot be deleted: alerts."${name} of others" (id ${id}), which no file has, sends to it`,
      ),
    });
    expect((await ruleNamed(rule)).length).toBe(1);
    await api().admin.alert.remove({ params: { id } });
    expect((await apply(['--prune', '--yes'])).code).toBe(0);
    expect(await channelNamed(name)).toBeUndefined();
  });

  it('keeps in another file what it has created, where the folder is read-only or shared', async () => {
    const { files } = pair();
    const { path, apply, put } = folderOf(files);
    const state = join(folderOf({}).path, 'created.toml');
    await apply(['--yes', '--state', state]);
    expect(readdirSync(path).sort()).toEqual(['alerts.toml', 'channels.toml']);
    put('alerts.toml', '');
    put('channels.toml', '');
    expect(await apply(['--prune', '--dry-run'])).toEqual(NOTHING);
    expect((await apply(['--prune', '--yes', '--state', state])).out).toMatch(/^- alerts\..*\n- channels\..*\n$/);
  });

  it('creates nothing where it cannot remember what it has created', async () => {
    const { name, files } = pair();
    const { path, apply } = folderOf(files);
    const state = join(path, 'alerts.toml', 'created.toml');
    expect(await apply(['--yes', '--state', state])).toMatchObject({
      code: 74,
      err: expect.stringContaining('--state'),
    });
    expect(await channelNamed(name)).toBeUndefined();
  });

  it('leaves an entry as it is that somebody changes before the answer', async () => {
    const { rule, files } = pair();
    const { apply, put } = folderOf(files);
    await apply();
    const [{ id } = { id: 0 }] = await ruleNamed(rule);
    put('alerts.toml', `${files['alerts.toml']}`.replace('when =', 'cooldown = 60\nwhen ='));
    const ran = await apply([], {
      async answer() {
        await json('alerts', 'update', String(id), '--cooldown', '2h');
        return 'y';
      },
    });
    expect(ran).toMatchObject({
      code: 1,
      err: expect.stringContaining(
        'Somebody else has changed it meanwhile. Run the command again to compare.\n  cooldown: 3600 -> 7200\nNothing was changed.\n',
      ),
    });
    expect((await ruleNamed(rule))[0]?.cooldown).toBe(7200);
  });

  it('asks before a change in a protected profile, and sends nothing in a read-only one', async () => {
    const { rule, files } = pair();
    const { path } = folderOf(files);
    const { token } = await api().admin.apiToken.create({ body: { name: 'profiles' } });
    const tokenFile = join(path, 'token');
    writeFileSync(tokenFile, token);
    using user = newUser();
    await user.run(['profile', 'add', 'prod', api().url, '--protected', '--token-file', tokenFile]);
    await user.run(['profile', 'add', 'look', api().url, '--read-only', '--token-file', tokenFile]);
    expect(await user.run(['apply', '-f', path, '--profile', 'prod'])).toMatchObject({ code: 2 });
    expect((await user.run(['apply', '-f', path, '--profile', 'look', '--yes'])).code).not.toBe(0);
    expect(await ruleNamed(rule)).toEqual([]);
  });

  it('leaves an entry as it is that somebody changes between its look and its request', async () => {
    const { rule, files } = pair();
    const { path, apply, put } = folderOf(files);
    await apply();
    const [{ id } = { id: 0 }] = await ruleNamed(rule);
    await using server = await startServer(
      passOn(async ({ method }) => {
        if (method === 'PUT') await json('alerts', 'update', String(id), '--cooldown', '2h');
      }),
    );
    const { token } = await api().admin.apiToken.create({ body: { name: 'late' } });
    using user = newUser({ url: server.url, token });
    put('alerts.toml', files['alerts.toml'].replace('when =', 'cooldown = 60\nwhen ='));
    const ran = await user.run(['apply', '-f', path, '--yes']);
    expect(server.seen.filter(({ method }) => method === 'PUT')).toHaveLength(1);
    expect(ran).toMatchObject({
      code: 1,
      err: expect.stringContaining('  cooldown: 3600 -> 7200\nNothing was changed.\n'),
    });
    expect((await ruleNamed(rule))[0]?.cooldown).toBe(7200);
  });

  it('ends where the server refuses, says what was done, and knows what it has created', async () => {
    const [made, refused] = [word(), word()];
    const person = await api().person('operator');
    const { token } = await person.client.apiToken.create({ body: { name: 'operator' } });
    using operator = newUser({ url: api().url, token });
    const { path, put } = folderOf({
      'a.toml': `[alerts.${made}]\nwhen.kind = "agent.outage"\n[alerts.${refused}]\nwhen.kind = "audit.broken"\n`,
    });
    const run = (...options: string[]) => operator.run(['apply', '-f', path, '--yes', ...options]);
    const ran = await run();
    expect(ran).toMatchObject({ code: 4, err: expect.stringContaining(`alerts.${refused}: `) });
    expect(ran.err).toContain('1 of 2 changes were made.');
    expect([(await ruleNamed(made)).length, (await ruleNamed(refused)).length]).toEqual([1, 0]);
    put('a.toml', '');
    expect((await run('--prune')).out).toMatch(new RegExp(`^- alerts.${made} `));
    expect(await ruleNamed(made)).toEqual([]);
  });

  it('says which rights are missing to read a noun', async () => {
    const person = await api().person('operator');
    const { token } = await person.client.apiToken.create({ body: { name: 'operator' } });
    using operator = newUser({ url: api().url, token });
    const { path } = folderOf({ 'channels.toml': pair().files['channels.toml'] });
    expect(await operator.run(['apply', '-f', path, '--yes'])).toMatchObject({
      code: 4,
      err: expect.stringContaining('webhook:manage'),
    });
  });
});

describe('roles and labels', () => {
  it('change those of existing users and enrollment tokens', async () => {
    const { username, id } = await api().person('viewer');
    const name = word();
    await api().admin.enrollment.create({ body: { name, labels: { site: 'north', tier: 'a' } } });
    const { apply } = folderOf({
      'users.toml': `[users.${username}]\nrole = "operator"\n`,
      'enrollments.toml': `[enrollments.${name}]\nlabels = { site = "south", tier = "a" }\n`,
    });
    const { err, out } = await apply();
    expect(err).toBe('');
    expect(out).toContain('    labels.site: "north" -> "south"\n');
    expect(out).toContain(`~ users.${username} (id ${id})\n    role: "viewer" -> "operator"\n`);
    expect(await json('users', 'get', String(id))).toMatchObject({ role: 'operator' });
    const tokens = await json<{ name: string; labels: object }[]>('enroll', '--all');
    expect(tokens.find((token) => token.name === name)?.labels).toEqual({ site: 'south', tier: 'a' });
    expect(await apply(['--prune'])).toEqual(NOTHING);
  });
});
