// Secrets in files, and the command `export`, on a real server.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { word } from '../../../server/test/word.ts';
import { newUser } from '../run-cli.ts';
import { NOTHING, pair, type Rule, useFolders } from './folders.ts';

const { api, master, json, folderOf, rules, channelNamed } = useFolders();

/** Secrets of valid forms by the fields that variables end in. */
const SECRETS: Readonly<Record<string, string>> = {
  URL: 'https://hooks.example.org/any',
  TOKEN: `123456:${'a'.repeat(30)}`,
  KEY: '0123456789abcdef0123456789ABCDEF',
  CALLBACK_SECRET: 'sixteen-and-more-characters',
};

describe('secrets in files', () => {
  const slack = (name: string) =>
    `[channels.${name}]\nkind = "slack"\nurl = "https://hooks.example.org/\${env:HOOK}"\n`;

  it('come from variables and are never printed', async () => {
    const name = word();
    const { apply, put } = folderOf({ 'channels.toml': slack(name) });
    const missing = await apply();
    expect(missing).toMatchObject({
      code: 2,
      err: expect.stringContaining(
        `channels.toml: channels.${name}: url: needs the environment variable HOOK, which is not set`,
      ),
    });
    expect(await channelNamed(name)).toBeUndefined();
    const HOOK = 'services/T0/B0/first-secret';
    const made = await apply(['--yes'], { environment: { HOOK } });
    expect(made).toMatchObject({ code: 0, out: expect.stringContaining('    url: (secret)\n'), err: '' });
    expect(made.out).not.toContain(HOOK);
    const before = await channelNamed(name);
    // The server does not tell whether the secret is another one.
    expect(await apply([], { environment: { HOOK: 'services/T0/B0/other-secret' } })).toEqual(NOTHING);
    expect((await apply(['--yes', '--secrets'], { environment: { HOOK: 'other-secret' } })).out).toBe(
      `~ channels.${name} (id ${before?.id})\n    url: (secret, sent again)\n`,
    );
    const after = await channelNamed(name);
    expect(after?.url).toBe('https://hooks.example.org');
    expect(after?.modified).toBeGreaterThan(before?.modified ?? 0);
    put('channels.toml', `${slack(name)}enabled = false\n`);
    expect((await apply(['--yes'], { environment: { HOOK } })).out).toBe(
      `~ channels.${name} (id ${before?.id})\n    enabled: true -> false\n    url: (secret, sent again)\n`,
    );
    put('channels.toml', slack(name).replace('hooks', 'relay'));
    const moved = await apply(['--yes'], { environment: { HOOK } });
    expect(moved.out).toContain('    url: (secret, changed)\n');
    expect((await channelNamed(name))?.url).toBe('https://relay.example.org');
    // The exports of the other tests have the channels of one host.
    await api().admin.webhook.remove({ params: { id: before?.id ?? 0 } });
  });

  it('are compared where the server shows them, and hidden all the same', async () => {
    const name = word();
    const { apply } = folderOf({ 'channels.toml': `[channels.${name}]\nurl = "https://example.org/\${env:PLACE}"\n` });
    await apply(['--yes'], { environment: { PLACE: 'a-first-place' } });
    expect(await apply([], { environment: { PLACE: 'a-first-place' } })).toEqual(NOTHING);
    const ran = await apply(['--yes'], { environment: { PLACE: 'a-second-place' } });
    expect(ran.out).toMatch(/^~ .*\n {4}url: \(secret, changed\)\n$/);
    expect((await channelNamed(name))?.url).toBe('https://example.org/a-second-place');
  });

  it('are hidden in what is wrong with them', async () => {
    const name = word();
    const { apply } = folderOf({ 'a.toml': `[alerts.${name}]\nwhen.kind = "errlog.new"\nfilter = "(\${env:WORDS}"\n` });
    const ran = await apply(['--yes'], { environment: { WORDS: 'hunter2-hunter2' } });
    expect(ran.code).toBe(2);
    expect(ran.err).toContain(`alerts.${name}: filter:`);
    expect(ran.err).not.toContain('hunter2');
  });

  it('can be written as they are', async () => {
    const name = word();
    const { apply } = folderOf({ 'a.toml': `[alerts.${name}]\nwhen.kind = "errlog.new"\nfilter = '"$\${env:X}"'\n` });
    expect(await apply()).toMatchObject({ code: 0, out: expect.stringContaining(`\\"\${env:X}\\"`) });
    expect(await apply([])).toEqual(NOTHING);
  });
});

describe('settings that the server does not show', () => {
  const pager = (name: string, more = '') => `[channels.${name}]\nkind = "pagerduty"\nkey = "\${env:KEY}"\n${more}`;
  const environment = { KEY: String(SECRETS['KEY']), SIGNING: String(SECRETS['CALLBACK_SECRET']) };
  const callback = `callback_secret = "\${env:SIGNING}"\n`;

  it('are sent when the server has none, and with changes of other fields', async () => {
    const name = word();
    const { apply, put } = folderOf({ 'channels.toml': pager(name) });
    expect((await apply(['--yes'], { environment })).out).toBe(
      `+ channels.${name}\n    kind: "pagerduty"\n    key: (secret)\n`,
    );
    expect(await apply([], { environment })).toEqual(NOTHING);
    const head = `~ channels.${name} (id ${(await channelNamed(name))?.id})\n`;
    put('channels.toml', pager(name, callback));
    const added = `${head}    callback_secret: (secret, changed)\n    key: (secret, sent again)\n`;
    expect((await apply(['--yes'], { environment })).out).toBe(added);
    expect((await channelNamed(name))?.secrets).toEqual(['key', 'callback_secret']);
    expect(await apply([], { environment })).toEqual(NOTHING);
    put('channels.toml', pager(name, `${callback}prefix = "[shop]"\n`));
    expect((await apply(['--yes'], { environment })).out).toBe(
      `${head}    prefix: "" -> "[shop]"\n    key: (secret, sent again)\n    callback_secret: (secret, sent again)\n`,
    );
  });

  it('stay where no file has them, and go where a file has an empty one', async () => {
    const name = word();
    const { apply, put } = folderOf({ 'channels.toml': pager(name, callback) });
    await apply(['--yes'], { environment });
    put('channels.toml', pager(name));
    expect(await apply([], { environment })).toEqual(NOTHING);
    expect((await channelNamed(name))?.secrets).toEqual(['key', 'callback_secret']);
    put('channels.toml', pager(name, 'callback_secret = ""\n'));
    expect((await apply(['--yes'], { environment })).out).toContain('    callback_secret: (secret, changed)\n');
    expect((await channelNamed(name))?.secrets).toEqual(['key']);
    expect(await apply([], { environment })).toEqual(NOTHING);
    put('channels.toml', pager(name, 'url = "https://events.eu.pagerduty.com"\n'));
    expect((await apply(['--yes'], { environment })).out).toContain(
      '    url: "https://events.pagerduty.com" -> "https://events.eu.pagerduty.com"\n',
    );
    put('channels.toml', pager(name));
    await apply(['--yes'], { environment });
    expect((await channelNamed(name))?.url).toBe('https://events.pagerduty.com');
  });

  it('are refused by their forms, and not repeated', async () => {
    const { apply } = folderOf({ 'channels.toml': pager('x', 'chat = "@ops"\n') });
    const ran = await apply(['--yes'], { environment: { KEY: 'not-a-key-of-pagerduty' } });
    expect(ran.err).toContain(
      '  channels.toml: channels.x: key: is not the Integration key of pagerduty: 32 letters and digits\n',
    );
    expect(ran.err).toContain('  channels.toml: channels.x: chat: does not belong to pagerduty\n');
    expect(ran.err).not.toContain('not-a-key');
  });
});

describe('export', () => {
  it('writes files that apply has nothing to do with, and never over others', async () => {
    const { name, files } = pair();
    const { apply } = folderOf({
      ...files,
      'more.toml': `[channels."${name} ops"]\nkind = "slack"\nurl = "https://hooks.example.org/\${env:HOOK}"\n[alerts."${name} \\"2\\""]\nwhen.kind = "errlog.spike"\nfilter = '"$\${env:X}"'\nfor = 60\n`,
    });
    await apply(['--yes'], { environment: { HOOK: 'xyz-123' } });
    await api().admin.enrollment.create({ body: { name, labels: { site: 'north' } } });
    await api().admin.webhook.create({
      body: { name: `${name}-OPS`, kind: 'telegram', token: SECRETS['TOKEN'], chat: '@ops' },
    });
    await removeDoubles();
    const out = folderOf({});
    expect(await master().run(['export', '-f', out.path])).toEqual(NOTHING);
    expect(readdirSync(out.path).sort()).toEqual([
      'alerts.toml',
      'channels.toml',
      'enrollments.toml',
      'trust.toml',
      'users.toml',
    ]);
    const written = readFileSync(join(out.path, 'channels.toml'), 'utf8');
    const variable = `${name} ops`.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
    expect(written).toMatch(new RegExp(`url = "\\$\\{env:(?:CHANNEL_)?${variable}_URL\\}"`));
    expect(written).not.toContain('xyz-123');
    expect(written).toMatch(/kind = "telegram"\ntoken = "\$\{env:\w+_TOKEN\}"\nchat = "@ops"\n/);
    expect(statSync(join(out.path, 'channels.toml')).mode & 0o077).toBe(0);
    const places = [...written.matchAll(/\$\{env:(\w+?_(URL|TOKEN|KEY|CALLBACK_SECRET))\}/g)];
    const environment = Object.fromEntries(places.map(([, variable, field = '']) => [variable, SECRETS[field]]));
    expect(await out.apply(['--prune'], { environment })).toEqual(NOTHING);
    const again = await master().run(['export', '-f', out.path]);
    expect(again).toMatchObject({ code: 2, err: expect.stringContaining('nothing was written') });
    expect(await master().run(['export', '-f', out.path, '--force'])).toEqual(NOTHING);
  });

  it('leaves out what the caller may not read, and says so', async () => {
    await removeDoubles();
    const person = await api().person('operator');
    using operator = newUser({
      url: api().url,
      token: (await person.client.apiToken.create({ body: { name: 'op' } })).token,
    });
    const { path } = folderOf({});
    const ran = await operator.run(['export', '-f', path]);
    expect(ran).toMatchObject({
      code: 1,
      err: expect.stringContaining('channels cannot be read: this needs webhook:manage. They are left out.'),
    });
    expect(readdirSync(path).sort()).toEqual(['alerts.toml', 'enrollments.toml']);
  });

  it('names the ids of entries that have one name', async () => {
    const name = word();
    const make = () => json<Rule>('alerts', 'create', '--name', name, '--kind', 'agent.outage');
    const ids = [(await make()).id, (await make()).id];
    const { path } = folderOf({});
    const ran = await master().run(['export', '-f', path]);
    expect(ran).toMatchObject({
      code: 1,
      err: expect.stringContaining(`alerts.${name} is the name of several rules, ids ${ids.join(', ')}`),
    });
    expect(readdirSync(path)).toEqual([]);
  });
});

/** Deletes rules that other tests have given one name. */
async function removeDoubles(): Promise<void> {
  const seen = new Set<string>();
  for (const { id, name } of await rules()) {
    if (seen.has(name)) await api().admin.alert.remove({ params: { id } });
    seen.add(name);
  }
}
