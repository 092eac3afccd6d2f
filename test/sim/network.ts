// The network between simulated processes. It delays, repeats and reorders requests, and cuts connections before a
// request arrives or after it was answered.
import { NetworkError, TimeoutError } from '../../packages/sdk/src/index.ts';
import { runAs, type SimProcess } from './platform.ts';
import type { Random } from './random.ts';

const TARGET = { method: 'POST', url: 'http://sim/' };
const USUAL_DELAY_MS = 60;
/** Longer than the time limit of any request, so that a request can arrive after its repetition. */
const LONG_DELAY_MS = 45_000;

const WIRE: SimProcess = { name: 'network', isAlive: true, clockAheadMs: 0 };

/** A request. */
export interface Call<T> {
  readonly from: SimProcess;
  /** The process that listens when the request arrives; undefined when there is none. */
  readonly to: () => SimProcess | undefined;
  readonly handle: () => Promise<T>;
  readonly timeoutMs: number;
  /** The network may deliver the request twice. */
  readonly mayRepeat?: boolean;
}

/** See the head of this file. */
export class Network {
  readonly #random: Random;
  readonly #open = new Set<{ readonly to: SimProcess; readonly cut: () => void }>();
  /** Nothing arrives. */
  isPartitioned = false;
  /** Requests arrive once and are answered. */
  isCalm = false;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Cuts all connections to a process that was killed. */
  drop(process: SimProcess): void {
    for (const connection of this.#open) if (connection.to === process) connection.cut();
  }

  /** Sends a request. Never settles where the sender was killed. */
  call<T>({ from, to, handle, timeoutMs, mayRepeat = false }: Call<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let isOver = false;
      const end = (settle: () => void) => {
        if (isOver || !from.isAlive) return;
        isOver = true;
        settle();
      };
      const cut = (code?: string) => end(() => reject(new NetworkError({ text: 'cut', code }, TARGET)));

      const arrive = (isAnswered: boolean) => {
        const process = to();
        if (process === undefined || this.isPartitioned) return cut('ECONNREFUSED');
        const connection = { to: process, cut };
        this.#open.add(connection);
        const answer = (settle: () => void) => {
          this.#open.delete(connection);
          if (!process.isAlive) return;
          if (!isAnswered) return cut();
          setTimeout(() => end(settle), this.#delay());
        };
        runAs(process, handle).then(
          (value) => answer(() => resolve(value)),
          (error: unknown) => answer(() => reject(error)),
        );
      };

      runAs(WIRE, () => {
        setTimeout(() => end(() => reject(new TimeoutError(timeoutMs, TARGET))), timeoutMs);
        if (this.#happens(0.04)) {
          setTimeout(() => cut(), this.#delay());
          return;
        }
        const isAnswered = !this.#happens(0.06);
        setTimeout(() => arrive(isAnswered), this.#delay());
        if (mayRepeat && this.#happens(0.05)) setTimeout(() => arrive(true), this.#delay());
      });
    });
  }

  #happens(probability: number): boolean {
    return this.#random.chance(probability) && !this.isCalm;
  }

  #delay(): number {
    return this.#random.upTo(this.#happens(0.02) ? LONG_DELAY_MS : USUAL_DELAY_MS);
  }
}
