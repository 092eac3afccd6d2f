// A program that sends lines with an API token, which is revoked now and then. It repeats a batch under its key until
// the server has answered, with another token where the one that it has was refused.
import { randomUUID } from 'node:crypto';
import type { ErrlogReceipt } from '../../packages/core/src/index.ts';
import { isApiError } from '../../packages/sdk/src/index.ts';
import { runAs, type SimProcess } from './platform.ts';
import type { Random } from './random.ts';
import type { SentBatch } from './server.ts';

/** Name of the sender in its lines, and of its tokens: they are all of one source. */
export const CLIENT = 'client';

/** Parts of the world that the client needs. */
export interface ClientWorld {
  readonly random: Random;
  send(from: SimProcess, batch: SentBatch): Promise<ErrlogReceipt>;
  /** Creates a token; rejects where there was no answer. */
  newToken(from: SimProcess): Promise<string>;
  /** A text of an error. */
  text(): string;
}

/** See the head of this file. */
export class TokenClient {
  readonly process: SimProcess = { name: CLIENT, isAlive: true, clockAheadMs: 0 };
  readonly #world: ClientWorld;
  #lines = 0;
  #secret: string | undefined;
  /** It sends no further batches. */
  isStopping = false;
  isIdle = false;

  constructor(world: ClientWorld) {
    this.#world = world;
  }

  /** Lines that it has sent, also those that nobody can read. */
  get lines(): number {
    return this.#lines;
  }

  start(): void {
    void runAs(this.process, () => this.#run());
  }

  async #run(): Promise<void> {
    while (!this.isStopping) {
      await this.#sendOne({ key: randomUUID(), body: this.#body(), numbers: undefined });
      await pause(this.#world.random.upTo(8_000));
    }
    this.isIdle = true;
  }

  #body(): Buffer {
    const lines = Array.from({ length: 1 + this.#world.random.upTo(3) }, (_, i) => {
      const log = `${CLIENT} #${this.#lines} ${this.#world.text()}`;
      this.#lines += 1;
      // Nobody can read a line with a level that does not exist.
      return JSON.stringify({ log, level: i > 0 && this.#world.random.chance(0.1) ? 'nonsense' : 'error' });
    });
    return Buffer.from(`${lines.join('\n')}\n`);
  }

  async #sendOne(batch: Omit<SentBatch, 'secret'>): Promise<void> {
    for (;;) {
      try {
        this.#secret ??= await this.#world.newToken(this.process);
        await this.#world.send(this.process, { secret: this.#secret, ...batch });
        return;
      } catch (error) {
        if (isApiError(error) && (error.status === 401 || error.status === 403)) this.#secret = undefined;
      }
      await pause(500 + this.#world.random.upTo(4_000));
    }
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
