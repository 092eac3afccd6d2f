import { describe, expect, it } from 'vitest';
import type { Cause } from './kinds/kind.ts';
import {
  isIdle,
  isMany,
  isRepeated,
  type Lately,
  NOTIFIED_PER_ROUND,
  type OpenAlert,
  planActive,
  planHappened,
} from './plan.ts';

const rule = { name: 'a rule', forS: 0, cooldownS: 600, repeatS: 0 };
const NOW = 10_000_000;
const cause = (name: string, more: Partial<Cause> = {}): Cause => ({
  key: name,
  title: name,
  detail: {},
  sinceMs: NOW,
  ...more,
});
const open = (id: number, name: string, more: Partial<OpenAlert> = {}): OpenAlert => ({
  id,
  key: name,
  state: 'firing',
  sinceMs: NOW - 60_000,
  parentId: 0,
  messages: 1,
  groups: '[]',
  firedMs: NOW - 60_000,
  notifiedMs: NOW - 60_000,
  ackMs: 0,
  mutedMs: 0,
  ...more,
});
const known = (parents: [string, number][] = [], notifiedMs: [string, number][] = []) => ({
  nowMs: NOW,
  parents: new Map(parents),
  lasting: new Set(parents.map(([, id]) => id)),
  notifiedMs: new Map(notifiedMs),
});
const many = (n: number) => Array.from({ length: n }, (_, i) => cause(`c:${i}`));
const kind = { manyTitle: (n: number) => `${n} at once` };
const lately = (more: Partial<Lately> = {}): Lately => ({
  byError: new Map(),
  many: undefined,
  notified: 0,
  open: new Map(),
  ...more,
});

describe('planActive', () => {
  it('notifies of a cause once, and its end', () => {
    const first = planActive(rule, { causes: [cause('a')] }, [], known());
    expect(first.added).toMatchObject([{ key: 'a', state: 'firing', notify: true }]);
    expect(planActive(rule, { causes: [cause('a')] }, [open(1, 'a')], known())).toEqual({
      added: [],
      fired: [],
      grown: [],
      ended: [],
    });
    expect(planActive(rule, { causes: [] }, [open(1, 'a')], known()).ended).toMatchObject([{ id: 1 }]);
  });

  it('waits until a cause has lasted long enough', () => {
    const slow = { ...rule, forS: 60 };
    expect(planActive(slow, { causes: [cause('a')] }, [], known()).added).toMatchObject([
      { state: 'pending', notify: false },
    ]);
    const pending = open(1, 'a', { state: 'pending', messages: 0, notifiedMs: 0 });
    expect(planActive(slow, { causes: [cause('a')] }, [pending], known()).fired).toMatchObject([
      { id: 1, notify: true },
    ]);
  });

  it('notifies of a cause that comes back within the cooldown only if it lasts until its end', () => {
    const again = planActive(rule, { causes: [cause('a')] }, [], known([], [['a', NOW - 60_000]]));
    expect(again.added).toMatchObject([{ state: 'firing', notify: false, notifiedMs: NOW - 60_000 }]);
    const pending = open(1, 'a', { messages: 0, notifiedMs: NOW - 600_000 });
    expect(planActive(rule, { causes: [cause('a')] }, [pending], known()).fired).toMatchObject([
      { id: 1, notify: true },
    ]);
  });

  it('groups a cause under an outage while that lasts, then notifies of it if it goes on', () => {
    const outage: [string, number][] = [['outage:1', 7]];
    const child = cause('a', { parentCause: 'outage:1' });
    expect(planActive(rule, { causes: [child] }, [], known(outage)).added).toMatchObject([
      { state: 'firing', parentId: 7, notify: false },
    ]);
    const grouped = open(2, 'a', { messages: 0, notifiedMs: 0, parentId: 7 });
    expect(planActive(rule, { causes: [cause('a')] }, [grouped], known(outage)).fired).toEqual([]);
    expect(planActive(rule, { causes: [cause('a')] }, [grouped], known()).fired).toMatchObject([
      { id: 2, notify: true },
    ]);
    expect(planActive(rule, { causes: [child] }, [], known()).added).toMatchObject([{ parentId: 0, notify: true }]);
  });

  it('notifies of a silent cause when its silence ends', () => {
    const muted = planActive(rule, { causes: [cause('a', { silent: true })] }, [], known());
    expect(muted.added).toMatchObject([{ state: 'firing', notify: false }]);
    const pending = open(1, 'a', { messages: 0, notifiedMs: 0 });
    expect(planActive(rule, { causes: [cause('a')] }, [pending], known()).fired).toMatchObject([
      { id: 1, notify: true },
    ]);
  });

  it('spreads many messages over rounds', () => {
    const { added } = planActive(rule, { causes: many(120) }, [], known());
    expect(added.filter(({ notify }) => notify)).toHaveLength(NOTIFIED_PER_ROUND);
    expect(added.filter(({ state }) => state === 'pending')).toHaveLength(120 - NOTIFIED_PER_ROUND);
    const ends = planActive(
      rule,
      { causes: [] },
      many(120).map(({ key: name }, i) => open(i, name)),
      known(),
    ).ended;
    expect(ends).toHaveLength(NOTIFIED_PER_ROUND);
  });

  it('lists 1,000 causes, open ones first, and says how many more there are', () => {
    const { added, ended } = planActive(rule, { causes: many(1_200), more: 50 }, [open(1, 'c:1199')], known());
    expect(ended).toEqual([]);
    expect(added).toHaveLength(1_000);
    expect(added.at(-1)).toMatchObject({
      key: 'beyond',
      title: '250 more causes of the rule "a rule" are not listed',
      detail: { count: 250 },
    });
  });
});

describe('planHappened', () => {
  it('notifies of each cause, but not again within its cooldown', () => {
    const causes = [cause('a'), cause('a'), cause('b'), cause('c')];
    const { added } = planHappened(rule, { causes, position: 1 }, kind, known([], [['c', NOW - 1_000]]), lately());
    expect(added).toMatchObject([
      { key: 'a', state: 'resolved', notify: true },
      { key: 'b', notify: true },
    ]);
  });

  it('combines many causes to one message, those of an outage and muted ones aside', () => {
    const causes = [...many(30), cause('o', { parentCause: 'outage:1' }), cause('m', { silent: true })];
    const { added } = planHappened(rule, { causes, more: 70, position: 1 }, kind, known([['outage:1', 7]]), lately());
    expect(added).toMatchObject([
      { title: '100 at once', detail: { count: 100 }, notify: true },
      { key: 'o', parentId: 7, notify: false },
      { key: 'm', notify: false },
    ]);
  });

  const happened = (
    causes: readonly Cause[],
    more: Partial<Lately> = {},
    of = kind as Parameters<typeof planHappened>[2],
  ) => planHappened(rule, { causes, position: 1 }, of, known(), lately(more));

  it('adds the groups of an error on further hosts to its alert, each once', () => {
    const same = open(5, 'x', { groups: '[1,2]' });
    const plan = happened([cause('b', { error: 'e', groups: [2, 3] }), cause('c', { error: 'e', groups: [4] })], {
      byError: new Map([['e', same]]),
    });
    expect(plan).toEqual({ added: [], fired: [], grown: [{ id: 5, groups: [1, 2, 3, 4], more: 2 }], ended: [] });
  });

  it('makes one alert of one error on several hosts in a round, with a bounded number of groups', () => {
    const causes = [cause('a', { error: 'e', groups: [1] }), cause('b', { error: 'e', groups: [2, 3] })];
    expect(happened(causes).added).toMatchObject([{ key: 'a', groups: [1, 2, 3] }]);
    const large = many(150).map((one, i) => ({ ...one, error: 'e', groups: [i] }));
    expect(happened(large).added[0]?.groups).toHaveLength(100);
  });

  it('notifies again of an open alert whose cause happened once more, unless it is muted', () => {
    const again = open(9, 'a', { notifiedMs: NOW - 600_000 });
    expect(happened([cause('a')], { open: new Map([['a', again]]) }).fired).toMatchObject([{ id: 9, notify: true }]);
    const muted = { ...again, mutedMs: NOW + 1 };
    expect(happened([cause('a')], { open: new Map([['a', muted]]) })).toMatchObject({ fired: [], added: [] });
    const recent = { ...again, notifiedMs: NOW - 599_999 };
    expect(isIdle(happened([cause('a')], { open: new Map([['a', recent]]) }))).toBe(true);
  });

  it('keeps an alert open where its kind lasts', () => {
    const lasting = { ...kind, lasts: true };
    expect(happened([cause('a')], {}, lasting).added).toMatchObject([{ state: 'firing' }]);
    expect(happened(many(40), {}, lasting).added).toMatchObject([{ state: 'firing', title: '40 at once' }]);
    expect(happened(many(40)).added).toMatchObject([{ state: 'resolved', title: '40 at once' }]);
  });

  it('counts the messages of the same moment, and joins further causes to the alert about many', () => {
    const groups = (one: Cause, i: number) => ({ ...one, groups: [i] });
    expect(happened(many(2), { notified: 18 }).added).toHaveLength(2);
    const [first, ...others] = happened(many(3).map(groups), { notified: 18 }).added;
    expect(others).toEqual([]);
    expect(first).toMatchObject({ key: `many:${NOW}`, groups: [0, 1, 2], parentId: 0, notify: true, notifiedMs: 0 });
    expect(first?.detail).toEqual({
      count: 3,
      examples: [0, 1, 2].map((i) => ({ key: `c:${i}`, title: `c:${i}` })),
    });
    expect(first && isMany(first)).toBe(true);
    expect(isMany({ key: 'c:1' })).toBe(false);
    const plan = happened([cause('a', { groups: [7] })], { many: open(4, 'many:1', { groups: '[6]' }) });
    expect(plan).toMatchObject({ added: [], grown: [{ id: 4, groups: [6, 7], more: 1, manyTitle: kind.manyTitle }] });
    const examples = happened(many(40)).added[0]?.detail as { examples: unknown[] };
    expect(examples.examples).toHaveLength(10);
  });

  it('stores at most 100 causes that notify nobody', () => {
    const { added } = happened(many(120).map((one) => ({ ...one, silent: true })));
    expect(added).toHaveLength(100);
    expect(added[0]).toMatchObject({ state: 'resolved', notify: false });
  });
});

describe('isRepeated', () => {
  const repeated = { ...rule, repeatS: 60 };

  it('sends an alert again after its time, as long as nobody acknowledged it', () => {
    expect(isRepeated(repeated, open(1, 'a'), NOW)).toBe(true);
    expect(isRepeated(repeated, open(1, 'a', { notifiedMs: NOW - 59_999 }), NOW)).toBe(false);
    expect(isRepeated(repeated, open(1, 'a', { ackMs: 1 }), NOW)).toBe(false);
    expect(isRepeated(repeated, open(1, 'a', { messages: 0 }), NOW)).toBe(false);
    expect(isRepeated(rule, open(1, 'a'), NOW)).toBe(false);
  });
});
