import { addressWithin } from '@quarterdeck/core/addresses';
import type { Config } from '../settings/config.ts';

/** Tests addresses for a trusted proxy, which forwards the connections of many clients. */
export const trustsPeer =
  ({ trustedProxies }: Pick<Config, 'trustedProxies'>) =>
  (address: string): boolean =>
    addressWithin(address, trustedProxies);
