// A bound on the connections of one address, so that nobody holds all there may be.
import type { Socket } from 'node:net';
import { networkOf } from '../auth/throttle-keys.ts';

/** Counts the open connections of each address; of IPv6, of each /64. */
export class AddressLimit {
  readonly #max: number;
  readonly #isTrusted: (address: string) => boolean;
  readonly #open = new Map<string, number>();

  /** @param isTrusted addresses that may open any number: proxies, which bring the connections of many senders */
  constructor(max: number, isTrusted: (address: string) => boolean = () => false) {
    this.#max = max;
    this.#isTrusted = isTrusted;
  }

  /** Counts a new connection until it is closed; false, and it is closed, where its address has as many as it may. */
  admit(socket: Socket): boolean {
    const address = socket.remoteAddress ?? '';
    if (this.#isTrusted(address)) return true;
    const network = networkOf(address);
    const open = this.#open.get(network) ?? 0;
    if (open >= this.#max) {
      socket.destroy();
      return false;
    }
    this.#open.set(network, open + 1);
    socket.once('close', () => this.#leave(network));
    return true;
  }

  #leave(network: string): void {
    const open = (this.#open.get(network) ?? 1) - 1;
    if (open === 0) this.#open.delete(network);
    else this.#open.set(network, open);
  }
}
