// Tests the journal of systemd as an input, with a program in place of journalctl that prints entries of a file.
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Journal, type JournalOptions } from '../../src/follow/journal.ts';
import { readJournalEntry } from '../../src/lines/journal-entry.ts';
import { createLog } from '../../src/log.ts';
import type { Numbers } from '../../src/ship/spool-file.ts';
import { startFakeConsole } from '../fake-console.ts';
import { temporaryFolder } from '../temporary.ts';
import { batches, eventually, ship, textsOf } from './running-shipper.ts';

const TIME_S = 1_795_393_151;

const entry = (cursor: number, fields: object) =>
  JSON.stringify({ __CURSOR: `s=a;i=${cursor}`, __REALTIME_TIMESTAMP: `${TIME_S}681789`, _BOOT_ID: 'b', ...fields });

const lineOf = (fields: object) => readJournalEntry(entry(1, fields))?.line;

describe('an entry of the journal', () => {
  it('has the text, the time, the service and the level of the journal', () => {
    const fields = { MESSAGE: 'no', PRIORITY: '3', SYSLOG_IDENTIFIER: 'node', _SYSTEMD_UNIT: 'shop@1.service' };
    expect(readJournalEntry(entry(7, fields))).toEqual({
      cursor: 's=a;i=7',
      line: { log: 'no', level: 4, log_time: TIME_S, service: 'shop@1' },
    });
  });

  it.each<[string, object, object]>([
    ['the level of its text where the priority says nothing', { MESSAGE: 'ERROR x', PRIORITY: '6' }, { level: 4 }],
    ['the level INFO where nothing names one', { MESSAGE: 'x' }, { level: 7 }],
    ['the level of its priority before that of its text', { MESSAGE: 'ERROR x', PRIORITY: '7' }, { level: 8 }],
    [
      'the program in a session',
      { MESSAGE: 'x', SYSLOG_IDENTIFIER: 'sudo', _SYSTEMD_UNIT: 'session-3.scope' },
      { service: 'sudo' },
    ],
    [
      'the program of a user',
      { MESSAGE: 'x', SYSLOG_IDENTIFIER: 'gpg', _SYSTEMD_UNIT: 'user@1000.service' },
      { service: 'gpg' },
    ],
    ['the time of the journal', { MESSAGE: '2020-01-01T00:00:00Z x' }, { log_time: TIME_S }],
    ['bytes as its text', { MESSAGE: [...Buffer.from('é\u0001')] }, { log: 'é\u0001' }],
    ['the first of several texts', { MESSAGE: ['one', 'two'] }, { log: 'one' }],
  ])('has %s', (_, fields, expected) => {
    expect(lineOf(fields)).toMatchObject(expected);
  });

  it('may have no text', () => {
    for (const MESSAGE of [null, '', ' \n', undefined, 7]) expect(lineOf({ MESSAGE })).toBeUndefined();
  });

  it.each(['', 'null', '7', '{"MESSAGE":"x"}', '{"__CURSOR":7}', '{'])('is not %j', (text) => {
    expect(readJournalEntry(text)).toBeUndefined();
  });
});

/** A folder with a journalctl that prints the entries of a file, as `--follow` does, and notes its arguments. */
async function hostWithJournal() {
  const dir = await temporaryFolder();
  const program = `#!/bin/sh
PATH=/usr/bin:/bin
cd ${dir}
echo "$*" >> ran
echo $$ > process
for word; do case $word in --after-cursor=*) after=""\${word#*=}"";; esac; done
if [ -z "$after" ]; then lines=$(wc -l < entries); from=$((lines > 1 ? lines : 1))
else from=$(($(grep -nF "$after" entries | head -n 1 | cut -d: -f1) + 1)); fi
exec tail -n "+$from" -f entries
`;
  await writeFile(join(dir, 'journalctl'), program, { mode: 0o755 });
  await writeFile(join(dir, 'entries'), '');
  let written = 0;
  const say = (text: string) => appendFile(join(dir, 'entries'), `${text}\n`);
  return {
    dir,
    ran: async () => (await readFile(join(dir, 'ran'), 'utf8')).trim().split('\n'),
    /** Ends the program that runs. */
    end: async () => process.kill(Number(await readFile(join(dir, 'process'), 'utf8')), 'SIGKILL'),
    say,
    async write(...texts: string[]): Promise<void> {
      await say(texts.map((MESSAGE, at) => entry(written + at + 1, { MESSAGE })).join('\n'));
      written += texts.length;
    },
  };
}

/** Options of a journal that is read in the process of the test. */
const options = (path: string): JournalOptions => ({
  ...{ units: [], cursor: undefined, path },
  onEntry: async () => undefined,
  onSkip: () => undefined,
  hasRoom: () => true,
  log: createLog({ write: () => undefined }, 'silent', false),
  monotonicMs: () => 0,
});

describe('the journal', () => {
  it('begins with its newest entry and follows it', async () => {
    const server = await startFakeConsole();
    const host = await hostWithJournal();
    await host.write('old', 'newest');
    const agent = await ship(server, { journalPath: host.dir });
    await eventually(() => textsOf(server).flat()).toEqual(['newest']);
    await host.write('next');
    await eventually(() => textsOf(server).flat()).toEqual(['newest', 'next']);
    await agent.end();
    expect(await host.ran()).toEqual([
      '--output=json --all --quiet --no-pager --follow ' +
        '--output-fields=MESSAGE,PRIORITY,SYSLOG_IDENTIFIER,_SYSTEMD_UNIT --lines=1 --unit=nginx.service',
    ]);
  });

  it('continues after the last entry when the agent starts again', async () => {
    const server = await startFakeConsole();
    const host = await hostWithJournal();
    const dir = await temporaryFolder();
    await host.write('one');
    const first = await ship(server, { dir, journalPath: host.dir });
    await first.write('in a file\n');
    await eventually(() => textsOf(server).flat().toSorted()).toEqual(['in a file', 'one']);
    // A batch whose answer has not arrived is sent again under its key.
    await eventually(() => first.spooled()).toEqual([]);
    await first.end();
    await host.write('two', '', 'three');
    const second = await ship(server, { dir, journalPath: host.dir });
    await second.write('in a file again\n');
    await eventually(() => textsOf(server).flat().slice(2).toSorted()).toEqual(['in a file again', 'three', 'two']);
    expect((await host.ran()).at(-1)).toContain('--no-tail --after-cursor=s=a;i=1 ');
  });

  it('reads an entry again when its batch was not on the disk at a kill', async () => {
    const server = await startFakeConsole();
    const host = await hostWithJournal();
    const dir = await temporaryFolder();
    await host.write('one');
    // Nothing is stored while the server does not answer and the spool has no room for a second batch.
    const full = await ship(server, { dir, journalPath: host.dir, spoolMaxBytes: 1, isEnrolled: () => false });
    await eventually(async () => (await full.spooled()).length).toBe(1);
    await host.write('two');
    await full.end();
    await ship(server, { dir, journalPath: host.dir });
    await eventually(() => textsOf(server).flat()).toEqual(['one', 'two']);
  });

  it('survives the end of journalctl and what it cannot read', async () => {
    const server = await startFakeConsole();
    const host = await hostWithJournal();
    await host.write('one');
    const agent = await ship(server, { journalPath: host.dir });
    await eventually(() => textsOf(server).flat()).toEqual(['one']);
    await host.say('nonsense');
    await host.write('two');
    await eventually(() => textsOf(server).flat()).toEqual(['one', 'two']);
    expect(agent.said('an entry of the journal is too long or damaged')).toBe(true);
    expect(agent.shipper.state().lines_dropped).toBe(1);
  });

  it('counts each entry that it cannot read once, however often it starts', async () => {
    const server = await startFakeConsole();
    const host = await hostWithJournal();
    const dir = await temporaryFolder();
    const skipped = () => (batches(server).at(-1)?.numbers as Numbers | undefined)?.dropped.skipped;
    await host.write('one');
    const first = await ship(server, { dir, journalPath: host.dir });
    await eventually(() => textsOf(server).flat()).toEqual(['one']);
    // Its cursor is in the part that is cut away, so the next start finds it again.
    await host.say(`{"MESSAGE":"${'x'.repeat(300 * 1024)}","__CURSOR":"s=a;i=2"}`);
    await eventually(() => first.said('an entry of the journal is too long')).toBe(true);
    await first.end();
    expect(skipped()).toBe(0);

    const second = await ship(server, { dir, journalPath: host.dir });
    await eventually(() => second.said('an entry of the journal is too long')).toBe(true);
    await host.write('', '');
    await host.say(`{"_":"\\"__CURSOR\\":\\"s=b","__CURSOR":"s=a;i=4","MESSAGE":"${'x'.repeat(300 * 1024)}"}`);
    await eventually(skipped).toBe(2);
    await second.end();

    const third = await ship(server, { dir, journalPath: host.dir });
    await host.write('two');
    await eventually(() => textsOf(server).flat()).toEqual(['one', 'two']);
    expect(skipped()).toBe(2);
    expect(third.shipper.state().lines_dropped).toBe(0);
    expect((await host.ran()).at(-1)).toContain('--after-cursor=s=a;i=4 ');
  });

  it('starts journalctl again after the last entry, some seconds after its end', async () => {
    const host = await hostWithJournal();
    await host.write('one');
    const texts: string[] = [];
    const log: string[] = [];
    let nowMs = 0;
    const journal = new Journal({
      ...options(host.dir),
      onEntry: async ({ line }) => void texts.push(line?.log ?? ''),
      log: createLog({ write: (line) => void log.push(line) }, 'debug', false),
      monotonicMs: () => nowMs,
    });
    onTestFinished(() => journal.close());
    const polled = (condition: () => boolean) =>
      eventually(async () => {
        await journal.poll();
        return condition();
      }).toBe(true);
    await polled(() => texts.length === 1);
    await host.end();
    await polled(() => log.some((line) => line.includes('journalctl ended')));
    await host.write('two');
    await journal.poll();
    expect(await host.ran()).toHaveLength(1);
    nowMs = 5_000;
    await polled(() => texts.includes('two'));
    expect(texts).toEqual(['one', 'two']);
    expect((await host.ran()).at(-1)).toContain('--after-cursor=s=a;i=1');
  });

  it('reads the entries again that no batch has taken', async () => {
    const host = await hostWithJournal();
    await host.write('one');
    const texts: string[] = [];
    let nowMs = 0;
    let isBroken = true;
    const journal = new Journal({
      ...options(host.dir),
      async onEntry({ line }) {
        if (isBroken) throw new Error('the disk is full');
        texts.push(line?.log ?? '');
      },
      monotonicMs: () => nowMs,
    });
    onTestFinished(() => journal.close());
    await eventually(() => journal.poll().catch(String)).toBe('Error: the disk is full');
    isBroken = false;
    nowMs = 5_000;
    await eventually(async () => {
      await journal.poll();
      return texts;
    }).toEqual(['one']);
  });

  it('ships files where there is no journalctl', async () => {
    const server = await startFakeConsole();
    const agent = await ship(server, { journalPath: '/nowhere' });
    await agent.write('one\n');
    await eventually(() => textsOf(server).flat()).toEqual(['one']);
    expect(agent.said('journalctl ended')).toBe(true);
  });
});
