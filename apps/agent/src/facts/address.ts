// Finds the address by which other hosts reach this one: the address of the outgoing interface.
import { clean } from './clean.ts';
import type { Host, Interfaces } from './host.ts';

const ROUTE_UP = 0x1;
const ROUTE_REJECT = 0x200;
const ANYWHERE_V4 = '00000000';
const ANYWHERE_V6 = '0'.repeat(32);

interface Route {
  readonly name: string;
  readonly metric: number;
  readonly flags: number;
}

/** The interface of the usable route with the lowest metric. */
function best(routes: readonly Route[]): string | undefined {
  const usable = routes.filter(({ flags, name }) => flags & ROUTE_UP && !(flags & ROUTE_REJECT) && name !== 'lo');
  return usable.toSorted((a, b) => a.metric - b.metric)[0]?.name;
}

const rows = (table: string): string[][] => table.split('\n').map((line) => line.trim().split(/\s+/));

/** The interface of the default route in `/proc/net/route`. */
export function defaultInterfaceV4(table: string): string | undefined {
  const routes = rows(table).flatMap(([name, destination, , flags, , , metric, mask]): Route[] =>
    name && destination === ANYWHERE_V4 && mask === ANYWHERE_V4
      ? [{ name, metric: Number(metric), flags: Number.parseInt(flags ?? '', 16) }]
      : [],
  );
  return best(routes);
}

/** The interface of the default route in `/proc/net/ipv6_route`. */
export function defaultInterfaceV6(table: string): string | undefined {
  const routes = rows(table).flatMap(([destination, prefix, , , , metric, , , flags, name]): Route[] =>
    name && destination === ANYWHERE_V6 && prefix === '00'
      ? [{ name, metric: Number.parseInt(metric ?? '', 16), flags: Number.parseInt(flags ?? '', 16) }]
      : [],
  );
  return best(routes);
}

// Bridges, tunnels and the host's ends of container links: real addresses that no other host can reach.
const INWARD = /^(docker|br-|veth|virbr|vnet|cni|flannel|cali|podman|lxc|lxd|tun|tap|wg)/;
const LINK_LOCAL = /^(169\.254\.|fe[89ab])/i;

/**
 * Picks the address of the outgoing interface; '' when the host has none. Order: IPv4 of the default route, IPv6 of its
 * default route, any other outward address, any address.
 */
export function pickAddress(interfaces: Interfaces, v4?: string, v6?: string): string {
  const all = Object.entries(interfaces)
    .flatMap(([name, addresses]) => (addresses ?? []).map((address) => ({ name, ...address })))
    .filter(({ internal, address }) => !internal && !LINK_LOCAL.test(address));
  const choices = [
    all.find(({ name, family }) => family === 'IPv4' && name === v4),
    all.find(({ name, family }) => family === 'IPv6' && name === v6),
    all.find(({ name, family }) => family === 'IPv4' && !INWARD.test(name)),
    all.find(({ name, family }) => family === 'IPv6' && !INWARD.test(name)),
    all[0],
  ];
  return clean(choices.find((choice) => choice !== undefined)?.address ?? '', 64);
}

/** Reads the host's address. */
export async function readAddress({ files, system }: Host): Promise<string> {
  const v4 = defaultInterfaceV4(await files.text('/proc/net/route'));
  const v6 = defaultInterfaceV6(await files.text('/proc/net/ipv6_route'));
  return pickAddress(system.interfaces(), v4, v6);
}
