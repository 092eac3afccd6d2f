// A tree of configuration files, and what its watcher sees.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLog } from '../../src/log.ts';
import type { Look, Observed, Watcher } from '../../src/observe/watcher.ts';
import { createConfigTrees } from '../../src/watch/config/config-trees.ts';
import { type HashKey, readKey } from '../../src/watch/config/hash-key.ts';
import { temporaryFolder } from '../temporary.ts';

const signal = new AbortController().signal;

/** A tree, and a watcher of it as each process makes it. */
export async function treeOf(patterns: (root: string) => string[] = (root) => [root], withDiffs = false) {
  const [root, dir] = [join(await temporaryFolder(), 'nginx'), join(await temporaryFolder(), 'config')];
  await mkdir(join(root, 'conf.d'), { recursive: true });
  const lines: string[] = [];
  const clock = { laterMs: 0 };
  let installationKey: HashKey | undefined;
  const log = createLog({ write: (line) => void lines.push(line) }, 'debug', false);
  const watcherOf = (trees = patterns(root), isOn = withDiffs): Watcher =>
    createConfigTrees({
      trees,
      withDiffs: isOn,
      dir,
      installationKey: () => installationKey,
      now: () => Date.now() + clock.laterMs,
      log,
    });
  let observed: Observed | undefined;
  let watcher = watcherOf();
  return {
    root,
    dir,
    clock,
    lines,
    /** Hands out the key of an installation: 32 equal bytes. */
    handOut(byte: number) {
      installationKey = readKey(Buffer.alloc(32, byte).toString('base64url'));
    },
    write: (name: string, text: string) => writeFile(join(root, name), text),
    restart(trees?: string[], over: { readonly withDiffs?: boolean; readonly from?: Observed } = {}) {
      watcher = watcherOf(trees, over.withDiffs);
      observed = over.from ?? observed;
    },
    async look(): Promise<Look> {
      const look = await watcher.look(observed, signal);
      ({ observed } = look);
      return look;
    },
    /** Changes since the last look, with paths below the root. */
    async changes(): Promise<[string, string, string][]> {
      const { changes } = await this.look();
      return changes.map(({ field, from, to }) => [field.slice(root.length + 1), from, to]);
    },
  };
}
