import { HOST_CHANGE_KINDS } from '@quarterdeck/core';
import { expect, it } from 'vitest';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { temporaryFolder } from '../../test/temporary.ts';
import { readConfig } from '../config.ts';
import { createExec } from '../facts/exec.ts';
import { thisHost } from '../facts/host.ts';
import { createLog } from '../log.ts';
import { WATCHER_NAMES, WATCHERS } from './watchers.ts';

const { signal } = new AbortController();

it.each(nonEmpty(WATCHER_NAMES))('%s looks at this host under its name, twice', async (name) => {
  const dir = await temporaryFolder();
  const watcher = WATCHERS[name].create({
    config: readConfig({ QUARTERDECK_AGENT_DIR: dir }),
    host: thisHost(createExec({ path: process.env['PATH'] ?? '', signal }), false),
    dir,
    // It stands still: on a busy machine, comparing the clocks would take too long.
    installationKey: () => undefined,
    now: () => 1_800_000_000_000,
    log: createLog({ write: () => undefined }, 'silent', false),
  });
  expect(watcher.name).toBe(name);
  const first = await watcher.look(undefined, signal);
  expect(first.changes).toEqual([]);
  // An observation is stored as JSON.
  const { changes } = await watcher.look(JSON.parse(JSON.stringify(first.observed)), signal);
  for (const { kind } of changes) expect(HOST_CHANGE_KINDS).toContain(kind);
});
