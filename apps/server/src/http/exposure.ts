// Warns if passwords and tokens would cross a network unencrypted.

import { addressWithin } from '@quarterdeck/core/addresses';
import type { Config } from '../settings/config.ts';

const LOOPBACK = '127.0.0.0/8 ::1';

/** Returns the warning for a server at this address; undefined if it needs none. */
export function exposureWarning(
  address: string,
  { tlsCert, trustedProxies }: Pick<Config, 'tlsCert' | 'trustedProxies'>,
): string | undefined {
  if (addressWithin(address, LOOPBACK) || tlsCert !== undefined || trustedProxies !== '') return undefined;
  return (
    'HTTP is open to the network without encryption: passwords and tokens can be read on the way. ' +
    'Set QUARTERDECK_TLS_CERT_FILE and QUARTERDECK_TLS_KEY_FILE; or put a proxy with TLS in front and set ' +
    'QUARTERDECK_TRUSTED_PROXIES to its address; or listen on QUARTERDECK_HOST=127.0.0.1'
  );
}
