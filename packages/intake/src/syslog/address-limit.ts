// A limit of connections per address, so that one address cannot hold all of them.
import type { Socket } from 'node:net';
import { networkOf } from '@quarterdeck/core/addresses';

/** Counts the open connections of each IPv4 address and each IPv6 /64. */
export class AddressLimit {
  readonly #max: number;
  readonly #isTrusted: (address: string) => boolean;
  readonly #open = new Map<string, number>();

  /** @param isTrusted selects addresses without a limit: proxies, which carry the connections of many senders */
  constructor(max: number, isTrusted: (address: string) => boolean = () => false) {
    this.#max = max;
    this.#isTrusted = isTrusted;
  }

  /** Counts a new connection until it closes. Closes it and returns false if its address is at the limit. */
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
