import { describe, expect, it } from 'vitest';
import { bundleSize } from './bundle.ts';

describe('a bundle for browsers', () => {
  it('has at most 12 kB with the client, gzipped', async () => {
    const { gzipped } = await bundleSize(
      `import { createClient } from '@quarterdeck/sdk'; globalThis.x = createClient;`,
    );
    expect(gzipped).toBeGreaterThan(5_000);
    expect(gzipped).toBeLessThanOrEqual(12_000);
  });

  it('has at most 40 kB with everything and the schemas of answers, gzipped', async () => {
    const { gzipped } = await bundleSize(
      `import * as sdk from '@quarterdeck/sdk'; import { contract } from '@quarterdeck/sdk/contract';
      globalThis.x = [sdk, contract];`,
    );
    expect(gzipped).toBeLessThanOrEqual(40_000);
  });

  it('has the whole contract of core without the locales of zod and the engine of expressions', async () => {
    const { gzipped } = await bundleSize(`import { contract } from '@quarterdeck/core'; globalThis.x = contract;`);
    expect(gzipped).toBeLessThanOrEqual(53_000);
  });

  it('has less than 1 kB with a test of errors alone', async () => {
    const { bytes } = await bundleSize(`import { isApiError } from '@quarterdeck/sdk'; globalThis.x = isApiError;`);
    expect(bytes).toBeLessThan(1_000);
  });
});
