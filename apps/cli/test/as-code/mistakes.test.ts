// Mistakes in files of `apply`, on a real server.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { word } from '../../../server/test/word.ts';
import type { Ran } from '../run-cli.ts';
import { pair, type Rule, useFolders } from './folders.ts';

const { master, json, folderOf, channelNamed } = useFolders();

/** The lines of the mistakes; the kinds of rules are left out. */
const mistakes = ({ err }: Ran): string =>
  err
    .split('\n')
    .slice(1)
    .map((line) => line.replace(/(must be one of) errlog\.new,.*/, '$1'))
    .join('\n');

describe('files with mistakes', () => {
  it('are refused with every mistake at once, before anything changes', async () => {
    const { name, rule, files } = pair();
    const { apply } = folderOf({
      ...files,
      'more.toml': [
        '[alerts.a]\nfitler = "x"\nwhen = { kind = "errlog.nwe" }',
        '[alerts.b]\nname = "c"\nwhen = { kind = "errlog.new", count = 3 }\nchannels = "ops"',
        `[alerts."${rule}"]\nwhen = { kind = "errlog.new" }`,
        '[channels.c]\nkind = "slack"',
        '[alert.d]\n[users.ann]\nrole = "viewer"\npassword = "x"',
      ].join('\n'),
      'torn.toml': 'a = 1\nb = "secret',
      'twice.yaml': 'alerts:\n  x: {}\nalerts: {}\n',
    });
    const ran = await apply();
    expect(ran).toMatchObject({ code: 2, out: '' });
    expect(mistakes(ran)).toBe(
      [
        '  more.toml: alerts.a: fitler: is an unknown field. Did you mean filter?',
        '  more.toml: alerts.a: when.kind: must be one of',
        '  more.toml: alerts.b: name: is the name of the table; a table with id can rename its entry',
        '  more.toml: alerts.b: channels: must be a list of names of channels',
        '  more.toml: alerts.b: when.count: does not belong to errlog.new',
        `  more.toml: alerts."${rule}": is also in alerts.toml`,
        '  more.toml: channels.c: url: is required for slack',
        '  more.toml: alert: is an unknown table. Did you mean alerts?',
        '  more.toml: users.ann: password: is an unknown field. Known: username, role',
        '  torn.toml: line 2: unfinished string',
        '  twice.yaml: line 3: Map keys must be unique',
        '',
      ].join('\n'),
    );
    expect(await channelNamed(name)).toBeUndefined();
  });

  it('are refused with everything that the server has otherwise', async () => {
    const [double, channel, ann] = [word(), word(), word()];
    const ids = [];
    for (const _ of ['first', 'second']) {
      ids.push((await json<Rule>('alerts', 'create', '--name', double, '--kind', 'agent.outage')).id);
    }
    await json('webhooks', 'create', '--name', channel, '--url', 'https://example.org/x');
    const { apply } = folderOf({
      'all.toml': [
        `[alerts.${double}]\nwhen.kind = "agent.outage"`,
        `[alerts.other]\nwhen.kind = "agent.outage"\nchannels = ["${channel}s"]`,
        `[alerts.gone]\nid = 999999\nwhen.kind = "agent.outage"`,
        `[channels.${channel}]\nkind = "teams"\nurl = "https://example.org/x"`,
        `[users.${ann}]\nrole = "operator"`,
        '[enrollments."rack 7"]\nlabels = { site = "north" }',
      ].join('\n'),
    });
    const ran = await apply();
    expect(ran).toMatchObject({ code: 2, out: '' });
    expect(mistakes(ran)).toBe(
      [
        `  all.toml: channels.${channel}: kind: cannot be changed from standard to teams. Use another name, which makes a new channel`,
        `  all.toml: alerts.${double}: is the name of several rules, ids ${ids.join(', ')}: rename or delete all but one`,
        '  all.toml: alerts.gone: id: there is no rule with the id 999999',
        `  all.toml: enrollments."rack 7": does not exist. Create it: quarterdeck enroll create --name 'rack 7' --labels site=north`,
        `  all.toml: users.${ann}: does not exist. Create it: quarterdeck users create --username ${ann} --role operator`,
        `  all.toml: alerts.other: channels: "${channel}s" is no channel. Did you mean ${channel}?`,
        '',
      ].join('\n'),
    );
  });

  it('are refused where the folder has none, or cannot be read', async () => {
    const { apply, path } = folderOf({ 'notes.txt': 'x' });
    expect(await apply()).toMatchObject({ code: 2, err: expect.stringContaining('has no files that end in') });
    expect(await master().run(['apply', '-f', join(path, 'none')])).toMatchObject({ code: 2 });
    expect(await master().run(['apply'])).toMatchObject({ code: 2, err: expect.stringContaining('QUARTERDECK_APPLY') });
  });

  it('never delete by a damaged memory of what was created', async () => {
    const { files } = pair();
    const { apply, put } = folderOf(files);
    await apply();
    put('.quarterdeck-applied.toml', '[[alerts]]\nid = "x"\n');
    expect(await apply(['--prune', '--yes'])).toMatchObject({ code: 2, err: expect.stringContaining('damaged') });
  });
});
