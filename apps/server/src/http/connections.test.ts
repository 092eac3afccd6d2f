import { describe, expect, it } from 'vitest';
import { type ConnectionBounds, Connections, type Opened } from './connections.ts';

/** A fake socket. */
interface Peer {
  readonly name: string;
  isWaiting: boolean;
}

const LATER_MS = 5_000;
const RESERVE = 8;

/** Connections with a settable clock; all peers wait unless a test says otherwise. */
function setUp(bounds: Partial<ConnectionBounds> = {}) {
  const connections = new Connections<Peer>({ max: 20, maxPerAddress: 10, ...bounds }, ({ isWaiting }) => isWaiting);
  const open = (address: string, nowMs: number, name = `${address} at ${nowMs}`) => {
    const peer: Peer = { name, isWaiting: true };
    return { peer, ...connections.open(peer, address, nowMs) };
  };
  const openMany = (count: number, address: string | ((i: number) => string), firstMs: number) =>
    Array.from({ length: count }, (_, i) => open(typeof address === 'string' ? address : address(i), firstMs + i));
  return { connections, open, openMany };
}

const namesOf = ({ evicted }: Opened<Peer>) => evicted.map(({ name }) => name);
const evictedBy = (opened: readonly Opened<Peer>[]) => opened.flatMap(namesOf);

describe('connections', () => {
  it('have ordinary slots and evict nobody below three quarters of the capacity', () => {
    const { openMany } = setUp();
    const opened = openMany(15, (i) => `10.0.0.${i % 3}`, 0);
    expect(opened.map(({ slot }) => slot)).toEqual(Array(15).fill('ordinary'));
    expect(evictedBy(opened)).toEqual([]);
  });

  it('above that, evict the oldest one of the address with the most connections', () => {
    const { open, openMany } = setUp();
    openMany(6, '10.0.0.1', 0);
    openMany(9, '10.0.0.2', 100);
    expect(namesOf(open('10.0.0.3', LATER_MS))).toEqual(['10.0.0.2 at 100']);
    expect(namesOf(open('10.0.0.3', LATER_MS))).toEqual(['10.0.0.2 at 101']);
  });

  it('above that, evict nobody whose first request may be on its way', () => {
    const { open, openMany } = setUp({ maxPerAddress: 20 });
    openMany(18, '10.0.0.1', LATER_MS);
    expect(namesOf(open('10.0.0.2', LATER_MS + 20))).toEqual([]);
  });

  it('at the capacity, evict the oldest one in any case', () => {
    const { open, openMany } = setUp({ maxPerAddress: 20 });
    openMany(20, '10.0.0.1', LATER_MS);
    const opened = open('10.0.0.2', LATER_MS + 20);
    expect(opened.slot).toBe('ordinary');
    expect(namesOf(opened)).toEqual([`10.0.0.1 at ${LATER_MS}`]);
  });

  it('of one address never exceed its bound', () => {
    const { connections, openMany } = setUp();
    const opened = openMany(50, '10.0.0.1', 0);
    expect(connections.size).toBe(10);
    expect(new Set(opened.map(({ slot }) => slot))).toEqual(new Set(['ordinary']));
    expect(evictedBy(opened)).toHaveLength(40);
  });

  it.each([
    ['a /64', '2001:db8:0:1::1', '2001:db8:0:1:ffff::2'],
    ['an IPv4 address written as IPv6', '10.0.0.1', '::ffff:10.0.0.1'],
  ])('of %s count together', (_what, one, other) => {
    const { open, openMany } = setUp();
    openMany(10, one, 0);
    expect(namesOf(open(other, 20))).toEqual([`${one} at 0`]);
    expect(namesOf(open('2001:db8:0:2::1', 30))).toEqual([]);
  });

  it('are not evicted while the server works for them', () => {
    const { open, openMany } = setUp();
    const [first, second] = openMany(10, '10.0.0.1', 0);
    if (first !== undefined) first.peer.isWaiting = false;
    expect(namesOf(open('10.0.0.1', LATER_MS))).toEqual([second?.peer.name]);
  });

  it('with a credential are not evicted and do not count', () => {
    const { connections, open, openMany } = setUp({ maxPerAddress: 20 });
    for (const { peer } of openMany(12, '10.0.0.1', 0)) connections.noteCredential(peer);
    openMany(3, '10.0.0.2', 100);
    expect(namesOf(open('10.0.0.3', LATER_MS))).toEqual(['10.0.0.2 at 100']);
  });

  it('lose their credential when the next request begins', () => {
    const { connections, open, openMany } = setUp();
    const all = openMany(10, '10.0.0.1', 0);
    for (const { peer } of all) connections.noteCredential(peer);
    const third = all[2]?.peer as Peer;
    connections.begin(third, 50);
    expect(connections.credentialed).toBe(9);
    expect(namesOf(open('10.0.0.1', LATER_MS))).toEqual([third.name]);
  });

  it('are as old as their last request', () => {
    const { connections, open, openMany } = setUp();
    const [first, second] = openMany(10, '10.0.0.1', 0);
    if (first !== undefined) connections.begin(first.peer, 50);
    expect(namesOf(open('10.0.0.1', LATER_MS))).toEqual([second?.peer.name]);
  });

  it('get a reserved slot where all others belong to clients with a credential', () => {
    const { connections, open, openMany } = setUp({ maxPerAddress: 20 });
    for (const { peer } of openMany(20, '10.0.0.1', 0)) connections.noteCredential(peer);
    expect(open('10.0.0.2', LATER_MS)).toMatchObject({ slot: 'reserved', evicted: [] });
  });

  it('in reserved slots are evicted for others, from the address with the most first', () => {
    const { connections, open, openMany } = setUp({ maxPerAddress: 20 });
    for (const { peer } of openMany(20, '10.0.0.1', 0)) connections.noteCredential(peer);
    expect(connections.reserve).toBe(RESERVE);
    open('10.0.0.3', 100);
    openMany(RESERVE - 1, '10.0.0.2', 200);
    const opened = open('10.0.0.4', 300);
    expect(opened.slot).toBe('reserved');
    expect(namesOf(opened)).toEqual(['10.0.0.2 at 200']);
    expect(connections.size).toBe(20 + RESERVE);
  });

  it('are refused only where the server works for all of them', () => {
    const { connections, open, openMany } = setUp({ maxPerAddress: 20 });
    for (const { peer } of openMany(20, '10.0.0.1', 0)) connections.noteCredential(peer);
    for (const { peer } of openMany(RESERVE, '10.0.0.2', 100)) peer.isWaiting = false;
    expect(open('10.0.0.3', 200)).toMatchObject({ slot: undefined, evicted: [] });
    expect(connections.size).toBe(20 + RESERVE);
  });

  it('with a reserved slot get an ordinary one that has become free when their request begins', () => {
    const { connections, open, openMany } = setUp({ maxPerAddress: 20 });
    const all = openMany(20, '10.0.0.1', 0);
    for (const { peer } of all) connections.noteCredential(peer);
    const { peer } = open('10.0.0.2', 100);
    expect(connections.begin(peer, 110)).toBe('reserved');
    connections.remove(all[0]?.peer as Peer);
    expect(connections.begin(peer, 120)).toBe('ordinary');
  });

  it('of trusted proxies have no bound per address and are not evicted', () => {
    const proxy = '10.0.0.1';
    const { connections, open, openMany } = setUp({ isTrustedPeer: (address) => address === proxy });
    expect(evictedBy(openMany(14, proxy, 0))).toEqual([]);
    openMany(3, '10.0.0.2', 100);
    expect(namesOf(open('10.0.0.3', LATER_MS))).toEqual(['10.0.0.2 at 100']);
    expect(connections.size).toBe(17);
  });

  it('are to close after their answer once credentials take three quarters', () => {
    const { connections, openMany } = setUp();
    const all = openMany(10, '10.0.0.1', 0);
    const first = all[0]?.peer as Peer;
    for (const { peer } of all.slice(1, 8)) connections.noteCredential(peer);
    expect(connections.isCrowded(first)).toBe(false);
    connections.noteCredential(all[8]?.peer as Peer);
    expect(connections.isCrowded(first)).toBe(true);
  });

  it('leave nothing behind when they are closed', () => {
    const { connections, openMany } = setUp();
    for (let round = 0; round < 3; round += 1) {
      const all = openMany(10, '10.0.0.1', round * LATER_MS);
      expect(evictedBy(all)).toEqual([]);
      for (const { peer } of all) {
        connections.noteCredential(peer);
        connections.remove(peer);
        connections.remove(peer);
      }
      expect([connections.size, connections.credentialed]).toEqual([0, 0]);
    }
  });
});
