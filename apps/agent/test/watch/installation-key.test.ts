import { describe, expect, it } from 'vitest';
import { readKey } from '../../src/watch/config/hash-key.ts';
import { treeOf } from './config-tree.ts';

/** Later than the time in which a file may change without another stamp. */
const LATER_MS = 10_000;

/** A host with two files, which has the key 7 of an installation, given at its first look or after that. */
async function hostWith(given: 'first' | 'later', withDiffs = false) {
  const tree = await treeOf(undefined, withDiffs);
  await tree.write('nginx.conf', 'listen 80;\n');
  await tree.write('conf.d/other.conf', 'other\n');
  tree.clock.laterMs = LATER_MS;
  if (given === 'later') {
    await tree.look();
    await tree.look();
  }
  tree.handOut(7);
  await tree.look();
  return tree;
}

describe('hashes under the key of an installation', () => {
  it('are equal on hosts with equal files, whenever they got the key, and say which key it is', async () => {
    const [first, later] = [await hostWith('first'), await hostWith('later')];
    for (const { write } of [first, later]) await write('nginx.conf', 'listen 81;\n');
    const changes = await first.changes();
    const labelled = expect.stringMatching(/^[0-9a-f]{6}:[0-9a-f]{12}$/);
    expect(changes).toEqual([['nginx.conf', labelled, labelled]]);
    expect(await later.changes()).toEqual(changes);
  });

  it('differ between installations', async () => {
    const [one, other] = [await hostWith('first'), await hostWith('first')];
    other.handOut(8);
    await other.look();
    for (const { write } of [one, other]) await write('nginx.conf', 'listen 81;\n');
    expect(await other.changes()).not.toEqual(await one.changes());
  });

  it('miss nothing and repeat nothing when a file changes around the change of the key', async () => {
    const tree = await treeOf();
    await tree.write('nginx.conf', 'a');
    await tree.look();
    await tree.write('nginx.conf', 'b');
    tree.handOut(7);
    const seen = [await tree.changes()];
    tree.restart();
    tree.clock.laterMs = LATER_MS;
    for (let looks = 0; looks < 3; looks += 1) seen.push(await tree.changes());
    expect(seen.flat().map(([name]) => name)).toEqual(['nginx.conf']);
    await tree.write('nginx.conf', 'c');
    tree.restart();
    expect(await tree.changes()).toEqual([['nginx.conf', expect.stringContaining(':'), expect.stringContaining(':')]]);
  });

  it('keep the differences of files', async () => {
    const tree = await hostWith('later', true);
    await tree.look();
    await tree.write('nginx.conf', 'listen 81;\n');
    const { changes } = await tree.look();
    expect(changes[0]?.diff).toContain('listen 81;');
  });
});

it.each(['', 'short', Buffer.alloc(33).toString('base64url')])('takes no key of another length: %j', (text) => {
  expect(readKey(text)).toBeUndefined();
});
