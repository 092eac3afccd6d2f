// Entries of the journal go through the built agent to a real server. The ledger counts those that cannot be read.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { startApi } from './start-api.ts';

const MAIN = fileURLToPath(new URL('../../agent/dist/main.js', import.meta.url));

it('shows entries of the journal that an agent skips in the ledger, once, after a kill too', async () => {
  await using api = await startApi({ AGENT_INTERVAL: '1' });
  const dir = mkdtempSync(join(tmpdir(), 'quarterdeck-journal-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const entries = join(dir, 'entries');
  const write = (cursor: number, MESSAGE: string) =>
    appendFileSync(entries, `${JSON.stringify({ MESSAGE, __REALTIME_TIMESTAMP: '1', __CURSOR: `at-${cursor}` })}\n`);
  write(1, 'the first');
  // Prints the entries after a cursor, and follows.
  const journalctl = `#!/bin/sh
for word; do case $word in --after-cursor=*) cursor=\${word#*=};; esac; done
from=$(grep -n "\\"\${cursor:-at-1}\\"}" '${entries}' | cut -d: -f1)
[ -n "$cursor" ] && from=$((from + 1))
exec tail --pid=$PPID -n "+$from" -F '${entries}'
`;
  writeFileSync(join(dir, 'journalctl'), journalctl, { mode: 0o755 });
  const { token } = await api.admin.apiToken.create({ body: { name: 'enrolment' } });
  const env = {
    PATH: `${dir}:${dirname(process.execPath)}:${process.env['PATH']}`,
    QUARTERDECK_URL: api.url,
    QUARTERDECK_AGENT_DIR: join(dir, 'agent'),
    QUARTERDECK_ENROLL_TOKEN: token,
    QUARTERDECK_AGENT_JOURNAL: 'all',
  };
  const start = () => {
    const agent = spawn(process.execPath, [MAIN], { stdio: 'ignore', env });
    const kill = async () => {
      const gone = once(agent, 'exit');
      agent.kill('SIGKILL');
      await gone;
    };
    onTestFinished(() => void agent.kill('SIGKILL'));
    return kill;
  };
  const sums = async () => {
    const { data, meta } = await api.admin.ledger.list();
    const sum = (of: 'read' | 'grouped') => data.reduce((all, row) => all + (row[of] ?? 0), 0);
    const skipped = data.reduce((all, { dropped }) => all + (dropped.skipped ?? 0), 0);
    return { read: sum('read'), grouped: sum('grouped'), skipped, complete: meta.complete };
  };

  const kill = start();
  await expect.poll(sums, { timeout: 30_000 }).toMatchObject({ read: 1 });
  // Its cursor is cut away with the end of its text.
  write(2, 'x'.repeat(300 * 1024));
  await kill();
  start();
  write(3, 'the third');
  await expect.poll(sums, { timeout: 30_000 }).toEqual({ read: 2, grouped: 2, skipped: 1, complete: false });
  const { meta } = await api.admin.ledger.list();
  expect(meta.gaps).toMatchObject([{ stage: 'skipped', lines: 1 }]);
}, 90_000);
