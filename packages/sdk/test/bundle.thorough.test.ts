import { contract } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { bundleSize } from './bundle.ts';

describe('a bundle for browsers', () => {
  it('loads at most 9 kB for the client, and 4 kB more for events and exports, gzipped', async () => {
    const { gzipped, first } = await bundleSize(
      `import { createClient } from '@quarterdeck/sdk'; globalThis.x = createClient;`,
    );
    expect(first).toBeGreaterThan(5_000);
    expect(first).toBeLessThanOrEqual(9_000);
    expect(gzipped - first).toBeLessThanOrEqual(4_000);
  });

  it('has at most 40 kB with everything and the schemas of answers, gzipped', async () => {
    const { gzipped } = await bundleSize(
      `import * as sdk from '@quarterdeck/sdk'; import { contract } from '@quarterdeck/sdk/contract';
      globalThis.x = [sdk, contract];`,
    );
    expect(gzipped).toBeLessThanOrEqual(40_000);
  });

  it('has the contract of core without the locales of zod and the engine of expressions: 270 B an endpoint', async () => {
    const { gzipped } = await bundleSize(`import { contract } from '@quarterdeck/core'; globalThis.x = contract;`);
    const schemas = await bundleSize(
      `import * as z from 'zod'; globalThis.x = z.object({ a: z.record(z.string(), z.int()) });`,
    );
    const endpoints = Object.values(contract).flatMap((noun) => Object.keys(noun)).length;
    expect(endpoints).toBeGreaterThan(100);
    expect((gzipped - schemas.gzipped) / endpoints).toBeLessThanOrEqual(270);
  });

  it('has less than 1 kB with a test of errors alone', async () => {
    const { bytes } = await bundleSize(`import { isApiError } from '@quarterdeck/sdk'; globalThis.x = isApiError;`);
    expect(bytes).toBeLessThan(1_000);
  });
});
