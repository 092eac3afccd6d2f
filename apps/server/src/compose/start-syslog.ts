// Starts the syslog receiver and stores its lines: one source per sender, named by itself or by its address.
import { unixSeconds } from '@quarterdeck/core';
import { ConfigError } from '@quarterdeck/core/environment';
import type { KeyPair } from '@quarterdeck/core/tls';
import { MAX_KNOWN } from '@quarterdeck/intake';
import { type SyslogReceiver, startSyslogReceiver } from '@quarterdeck/intake/syslog';
import { storedNames } from '@quarterdeck/store';
import type { ErrlogService } from '../features/errlog/errlog.service.ts';
import { openListenerLosses } from '../features/ledger/listener-losses.ts';
import { trustsPeer } from '../net/trusted-peers.ts';
import type { Config } from '../settings/config.ts';
import type { InheritedSockets } from '../systemd/inherited-sockets.ts';
import type { Deps } from './services.ts';

/** Source 0, which the first migration creates. */
const THIS_SERVER = { nodeType: 1, nodeId: -1, name: 'quarterdeck', address: '' };

/** Settings of a server that receives syslog. */
type SyslogConfig = Config & { readonly syslogPort: number };

/** Parts that the receiver works with. */
interface SyslogParts {
  readonly deps: Deps;
  readonly sockets: InheritedSockets;
  readonly pair: KeyPair | undefined;
  readonly errlog: ErrlogService;
}

/** Tells whether this process receives syslog: of two, one for each half, both would need the same port. */
export const receivesSyslog = (config: Config): config is SyslogConfig =>
  config.syslogPort !== 'off' && config.serve.has('admin');

/** Starts the receiver. Its end, and what must end after it, is added to `closers`. */
export async function startSyslog(
  config: SyslogConfig,
  { deps, sockets, pair, errlog }: SyslogParts,
  closers: (() => Promise<void> | void)[],
): Promise<SyslogReceiver> {
  const { host, syslogPort: port, syslogTlsPort, syslogProxy, trustedProxies } = config;
  const { db, log, now } = deps;
  const losses = await openListenerLosses(deps);
  closers.push(() => losses.close());
  const knownNames = await storedNames(db.read, MAX_KNOWN);
  const tls =
    syslogTlsPort === 'off' || pair === undefined ? undefined : { port: syslogTlsPort, fd: sockets.syslogTls, ...pair };
  try {
    const receiver = await startSyslogReceiver({
      host,
      port,
      sockets: sockets.syslog,
      tls,
      proxies: syslogProxy ? trustedProxies : undefined,
      isTrustedPeer: trustsPeer(config),
      log,
      now: () => unixSeconds(now()),
      knownNames,
      onLost: losses.note,
      onLines: (lines, { address, hostname: name }) => {
        const sender = name === '' ? THIS_SERVER : { nodeType: 0, nodeId: -1, name, address };
        return errlog.store(lines.map((line) => ({ line, sender })));
      },
    });
    closers.push(() => receiver.close());
    return receiver;
  } catch (cause) {
    throw new ConfigError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
