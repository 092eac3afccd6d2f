// Assigns the sockets that the service manager passes on to the listeners of the server. A socket that nobody reads
// would let its clients wait for ever, so one that fits no listener stops the start.
import { readFileSync, readlinkSync } from 'node:fs';
import { ConfigError } from '@quarterdeck/core/environment';
import type { PassedSocket } from '@quarterdeck/core/systemd';
import type { SyslogSockets } from '@quarterdeck/intake/syslog';
import type { Config } from '../settings/config.ts';

/** File descriptors of listening sockets. A listener without one opens its own socket. */
export interface InheritedSockets {
  readonly http?: number | undefined;
  readonly syslog?: SyslogSockets | undefined;
  readonly syslogTls?: number | undefined;
}

/** A kind of socket: TCP or UDP. */
type SocketKind = 'stream' | 'datagram';

/** Tells the kind of a descriptor; undefined for anything else. */
export type KindOf = (fd: number) => SocketKind | undefined;

type Settings = Pick<Config, 'serve' | 'syslogPort' | 'syslogTlsPort'>;

const TABLES = { tcp: 'stream', tcp6: 'stream', udp: 'datagram', udp6: 'datagram' } as const;
/** Column of `/proc/net/tcp` with the number that names the socket. */
const INODE_COLUMN = 9;

/** Looks a socket up in the tables of Linux: Node cannot ask for its kind without taking it over. */
export const kindOfSocket: KindOf = (fd) => {
  try {
    const inode = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${fd}`))?.[1];
    const has = (table: string) =>
      readFileSync(`/proc/self/net/${table}`, 'latin1')
        .split('\n')
        .some((row) => row.trim().split(/\s+/)[INODE_COLUMN] === inode);
    // A host without IPv6 has no tables for it.
    const found = Object.entries(TABLES).find(([table]) => inode !== undefined && quietly(() => has(table)));
    return found?.[1];
  } catch {
    return undefined;
  }
};

function quietly(test: () => boolean): boolean {
  try {
    return test();
  } catch {
    return false;
  }
}

/** Names of sockets, each with the sockets that it needs. */
const WANTED: Readonly<Record<string, readonly SocketKind[]>> = {
  http: ['stream'],
  syslog: ['stream', 'datagram'],
  'syslog-tls': ['stream'],
};

const DIRECTIVES = { stream: 'ListenStream=', datagram: 'ListenDatagram=' } as const;
const NAMES = 'http, syslog or syslog-tls';

/** Finds the reason for which the server would not read a socket; undefined if it does. */
function unusedBecause(name: string, { serve, syslogPort, syslogTlsPort }: Settings): string | undefined {
  if (name === 'http') return undefined;
  if (syslogPort === 'off') return 'QUARTERDECK_SYSLOG_PORT is off';
  if (!serve.has('admin')) return 'QUARTERDECK_SERVE is without admin';
  return name === 'syslog-tls' && syslogTlsPort === 'off' ? 'QUARTERDECK_SYSLOG_TLS_PORT is off' : undefined;
}

/** Returns the descriptors of the sockets with a name, in the order of the kinds that it needs. */
function socketsNamed(name: string, sockets: readonly PassedSocket[], kindOf: KindOf): number[] | undefined {
  const named = sockets.filter((socket) => socket.name === name).map(({ fd }) => ({ fd, kind: kindOf(fd) }));
  const wanted = WANTED[name] ?? [];
  if (named.length === 0) return undefined;
  const found = wanted.flatMap((kind) => named.find((socket) => socket.kind === kind)?.fd ?? []);
  if (found.length === wanted.length && named.length === wanted.length) return found;
  const needs = wanted.map((kind) => `one ${DIRECTIVES[kind]}`).join(' and ');
  throw new ConfigError(
    `the service manager passes ${named.length} sockets named "${name}"; allowed: ${needs} with an IP address or port`,
  );
}

/** @throws ConfigError for a socket that no listener would read */
export function inheritedSockets(
  sockets: readonly PassedSocket[],
  settings: Settings,
  kindOf: KindOf = kindOfSocket,
): InheritedSockets {
  for (const { name } of sockets) {
    if (!Object.hasOwn(WANTED, name)) {
      const given = JSON.stringify(name.slice(0, 100));
      throw new ConfigError(
        `the service manager passes a socket named ${given}; allowed for FileDescriptorName=: ${NAMES}`,
      );
    }
    const reason = unusedBecause(name, settings);
    if (reason !== undefined) {
      throw new ConfigError(
        `the service manager passes a socket named "${name}", and ${reason}; change the setting, or disable the unit of the socket`,
      );
    }
  }
  const [tcp, udp] = socketsNamed('syslog', sockets, kindOf) ?? [];
  return {
    http: socketsNamed('http', sockets, kindOf)?.[0],
    syslog: tcp === undefined || udp === undefined ? undefined : { tcp, udp },
    syslogTls: socketsNamed('syslog-tls', sockets, kindOf)?.[0],
  };
}
