// The noun `system`: version of the server.
import type { contract, Service } from '@quarterdeck/core';
import { VERSION } from '../../process/version.ts';
import type { CallContext } from '../call-context.ts';

/** Converts `major.minor.patch` to one integer that only grows. */
export function versionNumber(version: string): number {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  return major * 1_000_000 + minor * 1_000 + patch;
}

export function systemService(): Service<(typeof contract)['system'], CallContext> {
  return {
    version: async () => ({ version: versionNumber(VERSION), product_type: 'quarterdeck' }),
    profileSync: async () => ({ ngx: false, lua_module: false }),
  };
}
