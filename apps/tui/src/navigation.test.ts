import { describe, expect, it } from 'vitest';
import { navigate, startAt } from './navigation.ts';

describe('navigation', () => {
  it('opens one overlay at a time and closes it', () => {
    const help = navigate(startAt('errlog'), { type: 'open', overlay: { kind: 'help' } });
    expect(help).toEqual({ screen: 'errlog', overlay: { kind: 'help' } });
    const detail = navigate(help, { type: 'open', overlay: { kind: 'detail' } });
    expect(detail.overlay).toEqual({ kind: 'detail' });
    expect(navigate(detail, { type: 'close' })).toEqual(startAt('errlog'));
  });

  it('leaves overlays behind when it goes to another screen', () => {
    const open = navigate(startAt('apiTokens'), { type: 'open', overlay: { kind: 'apiTokenCreate' } });
    expect(navigate(open, { type: 'go', screen: 'agents' })).toEqual(startAt('agents'));
  });

  it('is the same state when nothing changes', () => {
    const state = startAt('errlog');
    expect(navigate(state, { type: 'close' })).toBe(state);
    expect(navigate(state, { type: 'go', screen: 'errlog' })).toBe(state);
  });
});
