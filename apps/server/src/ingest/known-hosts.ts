// nginx sends its first lines, and those about a start that fails, before it knows its own name: they come without one.

const MAX_ADDRESSES = 4_096;
/** An address that speaks for several hosts: a relay, or a network behind one address. */
const SEVERAL = '';

/** Remembers which host an address belongs to. */
export class KnownHosts {
  readonly #names = new Map<string, string>();

  /** The name in the header, or, when that has none, the only name that has come from this address; otherwise `''`. */
  nameOf(address: string, hostname: string): string {
    const known = this.#names.get(address);
    if (hostname === '') return known ?? '';
    if (known === undefined) {
      for (const oldest of this.#names.keys()) {
        if (this.#names.size < MAX_ADDRESSES) break;
        this.#names.delete(oldest);
      }
      this.#names.set(address, hostname);
    } else if (known !== hostname) this.#names.set(address, SEVERAL);
    return hostname;
  }
}
