import { describe, expect, it } from 'vitest';
import { type Navigation, type NavigationAction, navigate, startAt } from './navigation.ts';

const run = (...actions: NavigationAction[]): Navigation => actions.reduce(navigate, startAt('overview'));
const go = (screen: 'errlog' | 'agents', args?: Record<string, string>): NavigationAction => ({
  type: 'go',
  target: args === undefined ? { screen } : { screen, args },
});

describe('navigation', () => {
  it('goes back the way it came', () => {
    const there = run(go('errlog'), go('agents'));
    expect(there.target.screen).toBe('agents');
    const back = navigate(there, { type: 'back' });
    expect(back.target).toEqual({ screen: 'errlog' });
    expect([there.isReturn, back.isReturn]).toEqual([false, true]);
    expect(navigate(back, { type: 'back' }).before).toEqual([]);
  });

  it('keeps the state when nothing changes', () => {
    const state = run(go('errlog'));
    expect(navigate(state, go('errlog'))).toBe(state);
    expect(navigate(startAt('errlog'), { type: 'back' })).toEqual(startAt('errlog'));
  });

  it('counts a visit when the same screen gets other arguments', () => {
    const first = run(go('errlog', { level: '4' }));
    const second = navigate(first, go('errlog', { level: '3' }));
    expect(second.visits).toBe(first.visits + 1);
    expect(second.before).toEqual(['overview']);
  });
});
