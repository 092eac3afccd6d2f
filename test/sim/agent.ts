// A simulated agent: the real spool and the real sender on a disk in memory. In the place of files that are followed
// it reads a log whose lines are numbers; the position is saved as that of a journal.
import { gunzipSync } from 'node:zlib';

import { Batch } from '../../apps/agent/src/api/batch.ts';
import { readLine } from '../../apps/agent/src/lines/read-entry.ts';
import { WakeSignal } from '../../apps/agent/src/process/wake-signal.ts';
import { sendAll } from '../../apps/agent/src/ship/sender.ts';
import { Spool } from '../../apps/agent/src/ship/spool.ts';
import type { ErrlogReceipt } from '../../packages/core/src/index.ts';
import { Killed, MemoryDisk } from './memory-disk.ts';
import { runAs, type SimProcess } from './platform.ts';
import type { Random } from './random.ts';
import type { SentBatch } from './server.ts';

const SPOOL_MAX_BYTES = 1_000_000;
const POLL_MS = 1_000;
const LINES_AT_ONCE = 5;

const nothing = () => undefined;
const silent = { info: nothing, warn: nothing, error: nothing } as never;

/** Lines of a log, by number. */
export interface SimLog {
  /** Number of the first line that still exists. */
  oldest: number;
  readonly texts: string[];
}

/** Parts of the world that an agent needs. */
export interface AgentWorld {
  ship(from: SimProcess, batch: SentBatch): Promise<ErrlogReceipt>;
  readonly onBroken: (promise: string) => void;
  readonly onKill: (agent: SimAgent) => void;
}

/** See the head of this file. */
export class SimAgent {
  readonly name: string;
  readonly secret: string;
  readonly disk: MemoryDisk;
  readonly log: SimLog = { oldest: 0, texts: [] };
  readonly #world: AgentWorld;
  process: SimProcess;
  #spool: Spool | undefined;
  #position = 0;

  constructor(name: string, secret: string, random: Random, world: AgentWorld) {
    this.name = name;
    this.secret = secret;
    this.#world = world;
    this.process = { name, isAlive: false, clockAheadMs: 0 };
    this.disk = new MemoryDisk(random, () => {
      this.process.isAlive = false;
      world.onKill(this);
    });
  }

  /** True if every line of the log was acknowledged, refused, or deleted before it was read. */
  get isIdle(): boolean {
    return this.process.isAlive && this.#position === this.log.texts.length && this.#spool?.bytes === 0;
  }

  start(hasLostPower: boolean): void {
    this.disk.restart(hasLostPower);
    this.process = { name: this.name, isAlive: true, clockAheadMs: this.process.clockAheadMs };
    this.#spool = undefined;
    const { process } = this;
    runAs(process, () => this.#run(process)).catch((error: unknown) => {
      if (error instanceof Killed || !process.isAlive) return;
      // The service manager starts it again.
      this.disk.kill();
    });
  }

  async #run(process: SimProcess): Promise<void> {
    const { spool, positions, lost } = await Spool.open('/spool', SPOOL_MAX_BYTES, silent, this.disk);
    if (lost > 0) this.#world.onBroken(`no batch in the spool of ${this.name} is damaged by a kill`);
    this.#spool = spool;
    this.#position = Number(positions.journal ?? 0);
    const filled = new WakeSignal();
    const signal = new AbortController().signal;
    const sending = sendAll({
      serverApi: {
        ship: (_, { key, body, numbers }) =>
          this.#world.ship(process, {
            secret: this.secret,
            key,
            body: gunzipSync(body),
            numbers: numbers && JSON.stringify(numbers),
          }),
      },
      spool,
      enrollment: () => ({ id: 1, secret: this.secret }) as never,
      counts: { lines: 0, refused: 0, damaged: 0 },
      filled,
      emptied: new WakeSignal(),
      log: silent,
      random: Math.random,
      signal,
    });
    await Promise.all([this.#follow(spool, filled), sending]);
  }

  async #follow(spool: Spool, filled: WakeSignal): Promise<never> {
    for (;;) {
      const { oldest, texts } = this.log;
      if (this.#position < oldest) {
        spool.lose('rotation');
        this.#position = oldest;
      }
      const lines = texts.slice(this.#position, this.#position + LINES_AT_ONCE);
      if (lines.length > 0 || spool.hasLosses) {
        const batch = new Batch();
        if (lines.length > 0) batch.add(...lines.map((text) => readLine(text, Math.floor(Date.now() / 1000))));
        const sealed = batch.seal();
        const end = this.#position + lines.length;
        await this.#untilWritten(() => spool.put(sealed, { globs: [], files: [], journal: String(end) }));
        this.#position = end;
        filled.notify();
      }
      await pause();
    }
  }

  async #untilWritten(write: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (error instanceof Killed) throw error;
      }
      await pause();
    }
  }
}

const pause = () => new Promise<void>((resolve) => setTimeout(resolve, POLL_MS));
