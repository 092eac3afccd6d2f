// Checks the system calls that make data durable. Only a power cut would show the difference.
import { readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findProgram } from '../../../test/programs.ts';
import { startWith } from './agent-process.ts';
import { type FakeConsole, secretNumber, startFakeConsole, success } from './fake-console.ts';
import { ENROLL_TOKEN } from './running-agent.ts';
import { temporaryFolder } from './temporary.ts';

const strace = findProgram('strace');

/** A system call, with the lines of the trace on which it begins and ends. */
interface Call {
  readonly text: string;
  readonly begin: number;
  end: number;
}

/** Parses a trace. A call that another thread interrupts takes two lines. */
function callsOf(trace: string): Call[] {
  const calls: Call[] = [];
  const unfinished = new Map<string, Call>();
  for (const [line, row] of trace.split('\n').entries()) {
    const [, thread = '', text = ''] = /^(\d+) +(.*)$/.exec(row) ?? [];
    const begun = unfinished.get(thread);
    if (text.startsWith('<...') && begun !== undefined) begun.end = line;
    if (!/^\w+\(/.test(text)) continue;
    const call = { text, begin: line, end: line };
    calls.push(call);
    if (text.endsWith('<unfinished ...>')) unfinished.set(thread, call);
  }
  return calls;
}

/**
 * Describes the effect of a call on the files of a folder: `sync NAME`, `rename FROM TO`; undefined for other calls.
 */
function stepIn(folder: string, { text }: Call): string | undefined {
  const [, synced] = /^f(?:data)?sync\(\d+<([^>]+)>/.exec(text) ?? [];
  if (synced === folder) return 'sync .';
  if (synced !== undefined) return dirname(synced) === folder ? `sync ${basename(synced)}` : undefined;
  const [from = '', to = ''] = /^rename/.test(text) ? [...text.matchAll(/"([^"]+)"/g)].map(([, path]) => path) : [];
  return dirname(to) === folder ? `rename ${basename(from)} ${basename(to)}` : undefined;
}

interface Step extends Call {
  readonly step: string;
}

/** Lists the steps in a folder, in the order of their start. Several threads take them, so they may overlap. */
function stepsIn(folder: string, calls: readonly Call[]): Step[] {
  return calls.flatMap((call) => {
    const step = stepIn(folder, call);
    return step === undefined ? [] : [{ ...call, step }];
  });
}

/** Finds the first sync of the folder that begins after a step; nothing before it is certain to be on the disk. */
const syncAfter = (steps: readonly Step[], { end }: Step): Step | undefined =>
  steps.find(({ step, begin }) => step === 'sync .' && begin > end);

/** Expects each new file to be synced before it gets its name, and its folder afterwards. */
function expectDurable(steps: readonly Step[]): void {
  const written = steps.filter(({ step }) => /^rename \S+\.tmp /.test(step));
  expect(written).not.toEqual([]);
  for (const rename of written) {
    const [, draft = ''] = rename.step.split(' ');
    const isSynced = steps.some(({ step, end }) => step === `sync ${draft}` && end < rename.begin);
    expect({ ...rename, isSynced, sync: syncAfter(steps, rename) }).toMatchObject({ isSynced: true, sync: {} });
  }
}

/** Runs the agent until the console has a batch, and returns its system calls. */
async function trace(server: FakeConsole, dir: string): Promise<Call[]> {
  const output = join(dir, 'trace');
  const calls = ['fsync', 'fdatasync', 'rename', 'renameat', 'renameat2', 'write', 'writev'].join();
  // -D: the agent is the child, and gets the signals.
  const under = [
    strace ?? '',
    '-D',
    '-f',
    '-y',
    '-s',
    '100',
    '-e',
    `trace=${calls}`,
    '-e',
    'signal=none',
    '-o',
    output,
  ];
  const agent = startWith({ under }, environment(server, dir));
  await server.until((seen) => seen.some(({ what }) => what === 'errlog'));
  agent.child.kill('SIGTERM');
  expect(await agent.ended).toBe(0);
  return callsOf(await readFile(output, 'utf8'));
}

const environment = (server: FakeConsole, dir: string) => ({
  QUARTERDECK_URL: server.url,
  QUARTERDECK_AGENT_DIR: join(dir, 'agent'),
  QUARTERDECK_AGENT_FILES: join(dir, '*.log'),
  QUARTERDECK_ENROLL_TOKEN: ENROLL_TOKEN,
});

/** Finds the first write of a text. */
const firstWith = (calls: readonly Call[], text: string): number =>
  calls.find((call) => call.text.startsWith('write') && call.text.includes(text))?.begin ?? -1;

describe.skipIf(strace === undefined)('what the agent keeps', () => {
  it('is on the disk before the agent goes on: its enrollment, and each batch', async () => {
    const server = await startFakeConsole();
    const dir = await temporaryFolder();
    await writeFile(join(dir, 'a.log'), 'one\n');
    const calls = await trace(server, dir);

    const state = stepsIn(join(dir, 'agent'), calls);
    expectDurable(state);
    const enrolled = firstWith(calls, 'enrolled');
    // The first write of the file has no enrollment yet.
    expect(state.filter(({ step, end }) => step === 'sync .' && end < enrolled).length).toBeGreaterThanOrEqual(2);

    const spool = stepsIn(join(dir, 'agent', 'spool'), calls);
    expectDurable(spool);
    const sent = firstWith(calls, 'POST /admin-api/log_server/errlog');
    const named = spool.find(({ step }) => /\.tmp \d+\.batch$/.test(step));
    expect(named && syncAfter(spool, named)?.end).toBeLessThan(sent);
  });

  it('is on the disk before it is sent, where the last run was killed too early', async () => {
    const server = await startFakeConsole();
    const dir = await temporaryFolder();
    await writeFile(join(dir, 'a.log'), 'one\n');
    server.next.push(success({ id: 7, secret: secretNumber(1), interval: 30 }), 'hang');
    const first = startWith({}, environment(server, dir));
    await server.until((seen) => seen.some(({ what }) => what === 'errlog'));
    first.child.kill('SIGKILL');
    await first.ended;
    server.seen.length = 0;

    const calls = await trace(server, dir);
    const [opened] = stepsIn(join(dir, 'agent', 'spool'), calls);
    expect(opened?.step).toBe('sync .');
    expect(opened?.end).toBeLessThan(firstWith(calls, 'POST /admin-api/log_server/errlog'));
  });
});
