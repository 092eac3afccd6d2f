// The agent's spool on a disk of ours: the real `Spool`, a log of numbered lines, and a receiver that remembers keys.
import type { DiskFile } from '../../apps/agent/src/files/disk.ts';
import { Spool } from '../../apps/agent/src/ship/spool.ts';
import { Killed, MemoryDisk } from './memory-disk.ts';
import { Random } from './random.ts';

const silent = { error: () => undefined };
const STEPS = 200;

/** A defect to plant: it must break a promise within some seeds. */
export type Defect = 'no-file-sync' | 'no-folder-sync' | 'removed-before-answer' | 'new-key' | 'early-position';
export const DEFECTS: readonly Defect[] = [
  'no-file-sync',
  'no-folder-sync',
  'removed-before-answer',
  'new-key',
  'early-position',
];

/** A disk whose syncs do nothing, for files or for folders. */
class UnsyncedDisk extends MemoryDisk {
  readonly #unsynced: 'r' | 'wx';

  constructor(random: Random, unsynced: 'r' | 'wx') {
    super(random);
    this.#unsynced = unsynced;
  }

  override async open(path: string, flags: 'r' | 'wx'): Promise<DiskFile> {
    const file = await super.open(path, flags);
    return flags === this.#unsynced ? { ...file, sync: async () => undefined } : file;
  }
}

function diskOf(random: Random, defect: Defect | undefined): MemoryDisk {
  if (defect === 'no-file-sync') return new UnsyncedDisk(random, 'wx');
  return defect === 'no-folder-sync' ? new UnsyncedDisk(random, 'r') : new MemoryDisk(random);
}

/** Runs one seed. Returns the broken promise with its step; undefined when all were kept. */
export async function simulateSpool(seed: number, defect?: Defect): Promise<string | undefined> {
  const random = new Random(seed);
  const disk = diskOf(random, defect);
  const received = new Set<string>();
  let delivered = 0;
  let broken: string | undefined;
  let step = 0;
  let made = 0;
  const fail = (promise: string) => {
    broken ??= `seed ${seed}, step ${step}: ${promise}`;
  };
  const open = () => Spool.open('/spool', 1_000_000, silent, disk);
  let { spool, positions } = await open();
  let read = 0;

  async function put(): Promise<void> {
    const lines = 1 + random.upTo(4);
    made += 1;
    const key = `${seed}-${made}`;
    const body = Buffer.from(JSON.stringify([read, lines]));
    const end = defect === 'early-position' && random.upTo(9) === 0 ? read + lines + 1 : read + lines;
    await spool.put({ key, lines, body, withoutTime: 0, withoutLevel: 0 }, { globs: [], files: [], journal: `${end}` });
    read = end;
  }

  async function send(): Promise<void> {
    const batch = await spool.first(false);
    if (batch === undefined) return;
    if (batch === 'damaged') {
      fail('a batch on the disk is whole');
      await spool.removeFirst();
      return;
    }
    const network = random.upTo(5);
    if (defect === 'removed-before-answer' && network < 2) await spool.removeFirst();
    if (network === 0) return;
    const key = defect === 'new-key' ? `${batch.key}-${step}` : batch.key;
    if (!received.has(key)) {
      received.add(key);
      const [start = 0, lines = 0]: number[] = JSON.parse(batch.body.toString());
      if (start > delivered) fail(`lines arrive in order, none missing: ${delivered} to ${start} are missing`);
      if (start < delivered) fail(`lines count once: ${start} to ${delivered} came again`);
      delivered = start + lines;
    }
    if (network > 1) await spool.removeFirst();
  }

  async function restart(): Promise<void> {
    disk.isFull = false;
    disk.restart(random.upTo(1) === 0);
    const opened = await open();
    ({ spool, positions } = opened);
    if (opened.lost > 0) fail('no batch is lost at a start');
    read = Number(positions.journal ?? 0);
  }

  async function act(): Promise<void> {
    const action = random.upTo(9);
    if (action < 4) await put();
    else if (action < 8) await send();
    else if (action === 8) await spool.save({ globs: [], files: [], journal: `${read}` });
    else if (random.upTo(1) === 0) disk.isFull = !disk.isFull;
    else disk.killAfter(random.upTo(12));
  }

  for (; step < STEPS && broken === undefined; step += 1) {
    try {
      await act();
    } catch (error) {
      if (error instanceof Killed) await restart();
      else if (!disk.isFull) throw error;
    }
  }
  return broken;
}
