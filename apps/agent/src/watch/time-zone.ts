// Watches the time zone of the host.
import { createHash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { filesBelow } from '../facts/files.ts';
import { cleanValue, compare } from '../observe/compare.ts';
import type { Watcher } from '../observe/watcher.ts';

const LOCALTIME = '/etc/localtime';
const ENVIRONMENT = '/etc/environment';

/** Creates the watcher of the time zone. `root` is the root of the host's files. */
export function timeZoneWatcher(root = '/'): Watcher {
  const files = filesBelow(root);

  /** Name of the zone that the link leads to. A file that is no link is known by its hash only. */
  async function readZone(): Promise<string> {
    const target = await files.link(LOCALTIME);
    if (target !== '') return target.replace(/^.*\/zoneinfo\//, '');
    const content = await files.bytes(LOCALTIME);
    if (content.length === 0) return 'UTC';
    return `sha256 ${createHash('sha256').update(content).digest('hex').slice(0, 16)}`;
  }

  return {
    name: 'time_zone',
    everyS: 60,
    async look(before) {
      const variable = /^TZ=["']?([^"'\n]*)/m.exec(await files.text(ENVIRONMENT))?.[1];
      const observed = {
        [LOCALTIME]: cleanValue(await readZone()),
        [`TZ in ${ENVIRONMENT}`]: cleanValue(variable ?? ''),
      };
      const changedMs = (await lstat(join(root, LOCALTIME)).catch(() => undefined))?.ctimeMs;
      const timeOf = (field: string) => (field === LOCALTIME ? changedMs : undefined);
      return { observed, changes: compare(before, observed, { kind: 'time_zone', plural: 'time zones', timeOf }) };
    },
  };
}
