// Bookkeeping of open HTTP connections: decides which stay when there are too many. It uses no sockets and no HTTP, so
// that tests can run the rules alone; `connection-guard.ts` applies them.
import { networkOf } from '@quarterdeck/core/addresses';

/** Bounds on open connections. */
export interface ConnectionBounds {
  /** Connections in all, without the reserved ones. */
  readonly max: number;
  /** Connections of one address; of IPv6, of one /64. */
  readonly maxPerAddress: number;
  /** Trusted proxies forward the connections of many clients: no bound per address holds for them. */
  readonly isTrustedPeer?: ((address: string) => boolean) | undefined;
}

/**
 * `ordinary` slots are for every request. A `reserved` slot is for one request to a path that is always answered; it is
 * used when all ordinary ones are taken.
 */
export type Slot = 'ordinary' | 'reserved';

export interface Opened<S> {
  /** Undefined if the new connection must be refused. */
  readonly slot: Slot | undefined;
  /** Connections that must be closed now; they no longer count. */
  readonly evicted: readonly S[];
}

/** Share of a bound above which connections are closed, or asked to close, before the bound is reached. */
const CROWDED = 0.75;
/** Reserved slots, as a share of all ordinary ones. */
const RESERVE = 0.05;
const RESERVE_MIN = 8;
/** Milliseconds for which a new connection stays open unless a bound is reached: its request may be arriving. */
const GRACE_MS = 1_000;

/** An address, or a /64, and its connections. */
interface Holder {
  readonly network: string;
  readonly isTrusted: boolean;
  open: number;
  ordinary: number;
  /** Connections whose last request had a valid credential. */
  credentialed: number;
}

interface Connection<S> {
  socket: S;
  readonly holder: Holder;
  slot: Slot;
  hasCredential: boolean;
  /** Time of the last request, or of the opening before the first one. */
  sinceMs: number;
}

/** The open connections of one server. `S` identifies a connection. */
export class Connections<S extends object> {
  readonly #bounds: ConnectionBounds;
  readonly #isWaiting: (socket: S) => boolean;
  readonly #open = new Map<S, Connection<S>>();
  readonly #holders = new Map<string, Holder>();
  #ordinary = 0;
  #credentialed = 0;

  /** @param isWaiting whether the server waits for the client of a connection, and does no work for it */
  constructor(bounds: ConnectionBounds, isWaiting: (socket: S) => boolean) {
    this.#bounds = bounds;
    this.#isWaiting = isWaiting;
  }

  /** Number of reserved slots. */
  get reserve(): number {
    return Math.max(RESERVE_MIN, Math.floor(this.#bounds.max * RESERVE));
  }

  sockets(): S[] {
    return [...this.#open.keys()];
  }

  get size(): number {
    return this.#open.size;
  }

  /** Open connections whose last request had a valid credential. */
  get credentialed(): number {
    return this.#credentialed;
  }

  /** Finds a slot for a new connection. Times are milliseconds of a clock that never goes back. */
  open(socket: S, address: string, nowMs: number): Opened<S> {
    const holder = this.#holderOf(address);
    const evicted = [this.#makeRoom(holder, nowMs)];
    let slot: Slot | undefined;
    if (this.#hasRoom(holder)) {
      slot = 'ordinary';
    } else {
      if (this.#reserved >= this.reserve) evicted.push(this.#evict((one) => one.slot === 'reserved'));
      if (this.#reserved < this.reserve) slot = 'reserved';
    }
    if (slot !== undefined) this.#add({ socket, holder, slot, hasCredential: false, sinceMs: nowMs });
    return { slot, evicted: evicted.filter((one) => one !== undefined) };
  }

  /** Notes the start of a request, still without a credential. Returns the slot of its connection. */
  begin(socket: S, nowMs: number): Slot | undefined {
    const connection = this.#open.get(socket);
    if (connection === undefined) return undefined;
    connection.sinceMs = nowMs;
    this.#setCredential(connection, false);
    if (connection.slot === 'reserved' && this.#hasRoom(connection.holder)) {
      connection.slot = 'ordinary';
      connection.holder.ordinary += 1;
      this.#ordinary += 1;
    }
    return connection.slot;
  }

  /** Notes that the request of a connection had a valid credential. */
  noteCredential(socket: S): void {
    const connection = this.#open.get(socket);
    if (connection !== undefined) this.#setCredential(connection, true);
  }

  /** Replaces the socket of a connection by the one above TLS. */
  replace(socket: S, by: S): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    this.#open.delete(socket);
    connection.socket = by;
    this.#open.set(by, connection);
  }

  /** Removes a connection, if it is still there. */
  remove(socket: S): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    const { holder } = connection;
    this.#setCredential(connection, false);
    this.#open.delete(socket);
    holder.open -= 1;
    if (connection.slot === 'ordinary') {
      holder.ordinary -= 1;
      this.#ordinary -= 1;
    }
    if (holder.open === 0) this.#holders.delete(holder.network);
  }

  /**
   * True if clients with a credential hold so many connections that an answer should close its own: nobody else can be
   * evicted.
   */
  isCrowded(socket: S): boolean {
    const { max, maxPerAddress } = this.#bounds;
    if (this.#credentialed >= CROWDED * max) return true;
    const holder = this.#open.get(socket)?.holder;
    return holder !== undefined && !holder.isTrusted && holder.credentialed >= CROWDED * maxPerAddress;
  }

  get #reserved(): number {
    return this.#open.size - this.#ordinary;
  }

  #holderOf(address: string): Holder {
    const isTrusted = this.#bounds.isTrustedPeer?.(address) ?? false;
    // A /64 may hold a proxy and clients.
    const network = isTrusted ? `proxy ${address}` : networkOf(address);
    return this.#holders.get(network) ?? { network, isTrusted, open: 0, ordinary: 0, credentialed: 0 };
  }

  #add(connection: Connection<S>): void {
    const { socket, holder, slot } = connection;
    this.#open.set(socket, connection);
    this.#holders.set(holder.network, holder);
    holder.open += 1;
    if (slot === 'reserved') return;
    holder.ordinary += 1;
    this.#ordinary += 1;
  }

  #setCredential(connection: Connection<S>, hasCredential: boolean): void {
    if (connection.hasCredential === hasCredential) return;
    const by = hasCredential ? 1 : -1;
    connection.hasCredential = hasCredential;
    connection.holder.credentialed += by;
    this.#credentialed += by;
  }

  #isFull(holder: Holder): boolean {
    return !holder.isTrusted && holder.ordinary >= this.#bounds.maxPerAddress;
  }

  #hasRoom(holder: Holder): boolean {
    return this.#ordinary < this.#bounds.max && !this.#isFull(holder);
  }

  /** Evicts a connection for a new one of `holder` if a bound is reached, or nearly so. */
  #makeRoom(holder: Holder, nowMs: number): S | undefined {
    const { max } = this.#bounds;
    if (this.#ordinary < CROWDED * max && !this.#isFull(holder)) return undefined;
    const youngestMs = this.#hasRoom(holder) ? nowMs - GRACE_MS : nowMs;
    const mayGo = (one: Connection<S>) =>
      one.slot === 'ordinary' && !one.hasCredential && !one.holder.isTrusted && one.sinceMs <= youngestMs;
    return this.#isFull(holder) ? this.#evict((one) => one.holder === holder && mayGo(one)) : this.#evict(mayGo);
  }

  /** Removes the oldest evictable connection of the address that holds most without a credential. */
  #evict(mayGo: (one: Connection<S>) => boolean): S | undefined {
    let first: Connection<S> | undefined;
    let firstHolds = 0;
    for (const one of this.#open.values()) {
      const holds = one.holder.open - one.holder.credentialed;
      const goesFirst =
        first === undefined || holds > firstHolds || (holds === firstHolds && one.sinceMs < first.sinceMs);
      if (goesFirst && mayGo(one) && this.#isWaiting(one.socket)) [first, firstHolds] = [one, holds];
    }
    if (first === undefined) return undefined;
    this.remove(first.socket);
    return first.socket;
  }
}
