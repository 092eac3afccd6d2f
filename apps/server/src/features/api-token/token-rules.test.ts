import {
  isWithinSourceFilter,
  PERMISSIONS,
  type Permission,
  permissionsOf,
  ROLE_NAMES,
  type RoleName,
  type UserActor,
} from '@quarterdeck/core';
import { blocksWithin } from '@quarterdeck/core/addresses';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atMost } from '../../../../../test/thoroughness.ts';
import { formatScopes, grantOf } from '../../auth/token-scopes.ts';
import type { TokenRow } from './api-token.view.ts';
import { checkMayControl } from './token-rules.ts';

const scopes = fc.option(fc.subarray([...PERMISSIONS]), { nil: null });
const token = fc.record({
  role: fc.constantFrom(...ROLE_NAMES),
  scopes: scopes.map((some) => formatScopes(some as Permission[] | null)),
  allowedCidrs: fc.constantFrom('', '10.0.0.0/8', '10.1.0.0/16', '10.1.0.0/16 192.0.2.7', '192.0.2.7', '::/0'),
  errlogFilter: fc.constantFrom('', 'host:a', '(host:a) (service:b)', 'host:a OR host:b', 'label:k=v'),
  expireMs: fc.constantFrom(0, 1_000, 2_000),
});

/** A caller with the fields that the rule reads. */
const actorOf = (role: RoleName) => ({ role }) as unknown as UserActor;

const mayControl = (role: RoleName, asking: Partial<TokenRow> | undefined, target: Partial<TokenRow>): boolean => {
  try {
    checkMayControl(actorOf(role), asking as TokenRow | undefined, target as TokenRow);
    return true;
  } catch {
    return false;
  }
};

describe('a token that another one controls', () => {
  it('has no more permissions, addresses, sources or time, and a lower or equal role', () => {
    const life = (expire: number) => (expire === 0 ? Number.POSITIVE_INFINITY : expire);
    fc.assert(
      fc.property(token, token, (asking, target) => {
        if (!mayControl(asking.role, asking, target)) return;
        const own = grantOf(asking.role, asking.scopes, asking.errlogFilter).permissions;
        const { permissions } = grantOf(target.role, target.scopes, target.errlogFilter);
        for (const permission of permissions) expect(own).toContain(permission);
        expect(isWithinSourceFilter(target.errlogFilter, asking.errlogFilter)).toBe(true);
        expect(blocksWithin(target.allowedCidrs, asking.allowedCidrs)).toBe(true);
        expect(life(target.expireMs)).toBeLessThanOrEqual(life(asking.expireMs));
      }),
      { numRuns: atMost(300, 2_000) },
    );
  });

  it('is any with fewer scopes, narrower addresses or an earlier expiry', () => {
    const all = { role: 'master', scopes: '', allowedCidrs: '', errlogFilter: '', expireMs: 0 } as const;
    for (const [wide, narrow] of [
      [all, { ...all, scopes: 'errlog:read' }],
      [
        { ...all, scopes: 'errlog:read user:read' },
        { ...all, scopes: 'errlog:read' },
      ],
      [all, { ...all, allowedCidrs: '10.0.0.0/8' }],
      [
        { ...all, allowedCidrs: '10.0.0.0/8' },
        { ...all, allowedCidrs: '10.1.0.0/16' },
      ],
      [all, { ...all, errlogFilter: 'host:a' }],
      [
        { ...all, errlogFilter: 'host:a' },
        { ...all, errlogFilter: '(host:a) (service:b)' },
      ],
      [all, { ...all, expireMs: 2_000 }],
      [
        { ...all, expireMs: 2_000 },
        { ...all, expireMs: 1_000 },
      ],
      [all, { ...all, role: 'viewer' }],
    ] as const) {
      expect([mayControl('master', wide, narrow), mayControl(narrow.role, narrow, wide)]).toEqual([true, false]);
    }
  });

  it('may be the other itself', () => {
    fc.assert(
      fc.property(token, (asking) => {
        expect(mayControl(asking.role, asking, asking)).toBe(true);
      }),
    );
  });

  it('stays within it whatever role the owner is given later', () => {
    let controlled = 0;
    fc.assert(
      fc.property(token, token, fc.constantFrom(...ROLE_NAMES), (asking, other, later) => {
        const target = { ...other, role: asking.role };
        if (!mayControl(asking.role, asking, target)) return;
        controlled += 1;
        expect(mayControl(later, { ...asking, role: later }, { ...target, role: later })).toBe(true);
      }),
      { numRuns: 5_000 },
    );
    expect(controlled).toBeGreaterThan(0);
  });
});

describe('a session', () => {
  it('controls the tokens of its user, and of users whose role is not above', () => {
    for (const [rank, role] of ROLE_NAMES.entries()) {
      for (const [other, owner] of ROLE_NAMES.entries()) {
        expect(mayControl(role, undefined, { role: owner, scopes: '', allowedCidrs: '', expireMs: 0 })).toBe(
          other >= rank,
        );
      }
    }
  });
});

describe('a role', () => {
  it('may do whatever one below it may', () => {
    for (const [rank, role] of ROLE_NAMES.entries()) {
      for (const below of ROLE_NAMES.slice(rank)) {
        expect(permissionsOf(role)).toEqual(expect.arrayContaining([...permissionsOf(below)]));
      }
    }
  });
});
