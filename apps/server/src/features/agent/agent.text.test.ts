import type { Agent } from '@quarterdeck/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AgentText } from './agent.text.ts';

/** Text that could be taken for JSON, or that JSON writes in another way. */
const hostile = fc
  .array(
    fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        ...[
          '"',
          '\\',
          '\\"',
          ',"online":',
          '"online":true,',
          ',"last_reported":',
          '{',
          '}]',
          '\u0000',
          '\u001f',
          '\u007f',
        ],
        ...['\u2028', '\ud800', '\udfff', '\ud83d', '😀', '</script>', '__proto__', 'ÿ', 'Ā'],
      ),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(''));
const agents: fc.Arbitrary<Agent> = fc.record({
  id: fc.nat(),
  node_id: hostile,
  hostname: hostile,
  ip: hostile,
  env: hostile,
  online: fc.boolean(),
  is_deleted: fc.boolean(),
  bad_kernel: fc.boolean(),
  catch_transient_event: fc.boolean(),
  autorun_tools: fc.boolean(),
  note: hostile,
  system_name: hostile,
  created: fc.nat().map((ms) => ms / 1000),
  modified: fc.nat().map((ms) => ms / 1000),
  last_reported: fc.maxSafeNat(),
  progress: fc.record({ current: fc.nat(100), detail: hostile }),
  package: fc.record({ version: fc.maxSafeNat(), timestamp: fc.nat() }),
  dependency: fc.record({ stap_version: hostile, odb_version: hostile }),
  system_version: fc.record({
    kernel_package: hostile,
    kernel_bid: hostile,
    kernel_distro: hostile,
    libc: hostile,
    kernel: hostile,
  }),
});

it("makes an agent's JSON of its text and the values of any moments, whatever its texts are", () => {
  const moments = fc.array(fc.tuple(fc.boolean(), fc.maxSafeNat()), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(agents, moments, (agent, values) => {
      const text = new AgentText(agent, 7);
      expect(text).toMatchObject({ revision: 7, isDeleted: Number(agent.is_deleted) });
      for (const [online, last_reported] of values) {
        const json = `${text.at(online, last_reported)}}`;
        expect(json).toBe(JSON.stringify({ ...agent, online, last_reported }));
        expect(Buffer.byteLength(json)).toBe(json.length + text.excess);
      }
    }),
  );
});
