// Listens on the HTTP port, and says what to change where it is taken.
import { ConfigError } from '@quarterdeck/core/environment';
import type { KeyPair } from '@quarterdeck/core/tls';
import type { ConnectionGuard } from '../http/connection-guard.ts';
import { type ListenTimes, listen } from '../http/listen.ts';
import type { Config } from '../settings/config.ts';
import type { InheritedSockets } from '../systemd/inherited-sockets.ts';

/** Listens on the address of the configuration, or on the socket of the service manager. @throws ConfigError */
export async function listenOrExplain(
  app: Parameters<typeof listen>[0],
  config: Config,
  guard: ConnectionGuard,
  { sockets, ...options }: ListenTimes & { readonly sockets?: InheritedSockets | undefined },
  tls: KeyPair | undefined,
) {
  const { host, port, keepAliveS } = config;
  const times = { ...options, keepAliveMs: options.keepAliveMs ?? keepAliveS * 1000 };
  try {
    return await listen(app, sockets?.http === undefined ? { host, port } : { fd: sockets.http }, guard, times, tls);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    throw new ConfigError(`cannot listen on ${host}:${port} (${code}); see QUARTERDECK_HOST and QUARTERDECK_PORT`, {
      cause,
    });
  }
}
