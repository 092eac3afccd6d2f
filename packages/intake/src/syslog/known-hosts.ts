// Finds the host of lines without a name: nginx sends its first lines, and those about a failed start, before it knows
// its host name.

const MAX_ADDRESSES = 4_096;
/** Marks an address of several hosts: a relay, or a network behind one address. */
const SEVERAL = '';

/** Stores the host name of each address. */
export class KnownHosts {
  readonly #names = new Map<string, string>();

  /** Returns the name in the header, otherwise the only name that this address has used, otherwise `''`. */
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
