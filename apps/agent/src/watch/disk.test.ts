import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../test/temporary.ts';
import type { Observed } from '../observe/watcher.ts';
import { diskWatcher, findDisks, type Space } from './disk.ts';

const { signal } = new AbortController();
const ROOT = '27 1 254:0 / / ro,relatime shared:1 - ext4 /dev/vda rw,discard';

async function mountinfoOf(...lines: string[]): Promise<string> {
  const path = join(await temporaryFolder(), 'mountinfo');
  await writeFile(path, `${lines.join('\n')}\n`);
  return path;
}

/** A disk of 100 blocks and 100 inodes. */
const space = (used: number, usedInodes = 0): Space => ({
  blocks: 100,
  bfree: 100 - used,
  bavail: 100 - used,
  files: 100,
  ffree: 100 - usedInodes,
});

describe('the disks', () => {
  it('are those that hold data, each once', async () => {
    const path = await mountinfoOf(
      ROOT,
      '22 27 0:21 / /proc rw - proc proc rw',
      '25 24 0:23 / /dev/shm rw - tmpfs tmpfs rw',
      '30 27 254:0 /var /bind rw - ext4 /dev/vda rw',
      '31 27 7:1 / /snap/core rw - squashfs /dev/loop1 ro',
      '32 27 254:1 / /cd rw - ext4 /dev/sr0 ro',
      '33 27 0:40 / /remote rw - nfs4 server:/ rw',
      '34 27 0:41 / /var/lib/docker/overlay2/x/merged rw - overlay overlay rw',
      '35 27 254:2 / /srv/with\\040space rw shared:2 master:1 - xfs /dev/vdb rw',
      'damaged',
    );
    expect(await findDisks(path, signal)).toEqual(['/', '/srv/with space']);
  });

  it('are the overlay of a container for its root', async () => {
    const path = await mountinfoOf(
      '40 1 0:50 / / rw - overlay overlay rw,lowerdir=/x',
      '41 40 254:0 / /etc/hosts rw - ext4 /dev/vda rw',
    );
    expect(await findDisks(path, signal)).toEqual(['/', '/etc/hosts']);
  });

  it('are reported when they fill and when there is space again', async () => {
    const mountinfo = await mountinfoOf(ROOT);
    const found: string[] = [];
    let before: Observed | undefined;
    for (const used of [50, 89, 90, 91, 89, 90, 98, 97, 99, 95, 88, 87, 50]) {
      const look = await diskWatcher({ mountinfo, spaceOf: async () => space(used) }).look(before, signal);
      before = look.observed;
      for (const { field, from, to } of look.changes) found.push(`${used}: ${field} from ${from} to ${to}`);
    }
    expect(found).toEqual([
      '90: / from less than 90 % used to at least 90 % used',
      '98: / from at least 90 % used to at least 98 % used',
      '95: / from at least 98 % used to at least 90 % used',
      '87: / from at least 90 % used to less than 90 % used',
    ]);
  });

  it('count what is kept for root as used', async () => {
    const mountinfo = await mountinfoOf(ROOT);
    const spaceOf = async () => ({ ...space(0), bfree: 10, bavail: 5 });
    const { changes } = await diskWatcher({ mountinfo, spaceOf }).look({ '/': '0' }, signal);
    expect(changes).toMatchObject([{ kind: 'disk', field: '/', to: 'at least 90 % used' }]);
  });

  it('are reported when their inodes run out', async () => {
    const mountinfo = await mountinfoOf(ROOT);
    const first = await diskWatcher({ mountinfo, spaceOf: async () => space(10) }).look(undefined, signal);
    const { changes } = await diskWatcher({ mountinfo, spaceOf: async () => space(10, 99) }).look(
      first.observed,
      signal,
    );
    expect(changes).toMatchObject([{ field: '/ (inodes)', to: 'at least 98 % used' }]);
  });

  it('may have no fixed number of inodes', async () => {
    const mountinfo = await mountinfoOf(ROOT);
    const spaceOf = async () => ({ ...space(10), files: 0, ffree: 0 });
    expect((await diskWatcher({ mountinfo, spaceOf }).look(undefined, signal)).observed).toEqual({ '/': '0' });
  });

  it('keep their level while they cannot be read', async () => {
    const mountinfo = await mountinfoOf(ROOT);
    const spaceOf = () => Promise.reject(new Error('EACCES'));
    const before = { '/': '90' };
    expect(await diskWatcher({ mountinfo, spaceOf }).look(before, signal)).toEqual({ observed: before, changes: [] });
  });

  it('are found on this host', async () => {
    const { observed } = await diskWatcher().look(undefined, signal);
    expect(Object.values(observed).join()).toMatch(/^(?:(?:0|90|98)(?:,|$))+$/);
  });
});
