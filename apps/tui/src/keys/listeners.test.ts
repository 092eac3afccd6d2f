import { describe, expect, it } from 'vitest';
import { createListeners } from './listeners.ts';

const handler = (): void => undefined;

describe('listeners', () => {
  it('focuses the places of the topmost rank, the app last', () => {
    const listeners = createListeners();
    listeners.set('root', { owner: {}, handlers: {} });
    listeners.set('app', { owner: {}, handlers: {} });
    listeners.set('errlog', { owner: {}, handlers: {} });
    expect(listeners.focused()).toEqual(['errlog', 'app']);
    listeners.set('text', { owner: {}, handlers: {} });
    expect(listeners.focused()).toEqual(['text']);
    expect(listeners.placesOf('screen')).toEqual(['errlog', 'app']);
  });

  it('reports a change of commands, not of handlers', () => {
    const listeners = createListeners();
    expect(listeners.set('errlog', { owner: {}, handlers: { down: handler } })).toBe(true);
    expect(listeners.set('errlog', { owner: {}, handlers: { down: () => undefined } })).toBe(false);
    expect(listeners.set('errlog', { owner: {}, handlers: { down: undefined } })).toBe(true);
  });

  it('removes a place for its owner only', () => {
    const listeners = createListeners();
    const owner = {};
    listeners.set('errlog', { owner, handlers: { down: handler } });
    expect(listeners.remove('errlog', {})).toBe(false);
    expect(listeners.handlerOf('errlog', 'down')).toBe(handler);
    expect(listeners.remove('errlog', owner)).toBe(true);
    expect(listeners.handlerOf('errlog', 'down')).toBeUndefined();
  });

  it('finds the text handler of a focused place', () => {
    const listeners = createListeners();
    const onText = (): void => undefined;
    listeners.set('errlog', { owner: {}, handlers: {}, onText });
    expect(listeners.focusedHandler('onText')).toBe(onText);
    listeners.set('text', { owner: {}, handlers: {} });
    expect(listeners.focusedHandler('onText')).toBeUndefined();
  });
});
