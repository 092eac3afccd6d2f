import { can, type Permission } from '@quarterdeck/core';
import type { Binding } from '@quarterdeck/views/keys';
import { describe, expect, it } from 'vitest';
import type { Input } from '../terminal/index.ts';
import { createKeyboard, type Keyboard, type Listener } from './keyboard.ts';
import type { Place } from './keymap.ts';

const refusalFor =
  (...permissions: Permission[]) =>
  ({ access }: Binding): string | null =>
    access === undefined || can({ kind: 'user', permissions, credential: { kind: 'session' } }, access)
      ? null
      : 'Needs a permission.';

/** A keyboard that records what it runs. `next` runs the callbacks that wait for a render. */
function recorded(): {
  keyboard: Keyboard;
  ran: string[];
  next: () => void;
  listen: (place: Place, ...commands: string[]) => void;
} {
  const keyboard = createKeyboard();
  const ran: string[] = [];
  const later: (() => void)[] = [];
  keyboard.setAfterRender((run) => later.push(run));
  keyboard.setRefusal(refusalFor('errlog:read', 'api_token:write'));
  return {
    keyboard,
    ran,
    next() {
      for (let run = later.shift(); run !== undefined; run = later.shift()) run();
    },
    listen(place, ...commands) {
      const handlers: Record<string, (times: number) => void> = {};
      for (const name of commands)
        handlers[name] = (times) => ran.push(`${place}.${name}${times > 1 ? ` x${times}` : ''}`);
      keyboard.set(place, { owner: {}, handlers });
    },
  };
}

describe('the keyboard', () => {
  it('notifies subscribers of new commands and of new reasons, not of new handlers', () => {
    const { keyboard, listen } = recorded();
    let calls = 0;
    keyboard.subscribe(() => {
      calls += 1;
    });
    listen('errlog', 'down', 'follow');
    listen('errlog', 'down', 'follow');
    expect(calls).toBe(1);
    listen('errlog', 'down');
    expect(calls).toBe(2);
    const before = keyboard.bound();
    listen('errlog', 'down');
    expect(keyboard.bound()).toBe(before);
    for (const reason of ['Select a row first.', 'Select a row first.', 'It has started.'])
      keyboard.set('errlog', { owner: {}, handlers: { follow: reason } });
    expect(calls).toBe(4);
    keyboard.setRefusal(refusalFor('errlog:read'));
    expect(calls).toBe(4);
  });

  it('sends mouse events to the topmost place', () => {
    const keyboard = createKeyboard();
    const heard: string[] = [];
    const hear = (place: Place, onMouse = true): void =>
      keyboard.set(place, { owner: keyboard, handlers: {}, ...(onMouse ? { onMouse: () => heard.push(place) } : {}) });
    const click: Input = { mouse: { kind: 'click', column: 1, row: 1 } };
    hear('errlog');
    keyboard.press([click]);
    hear('form', false);
    keyboard.press([click]);
    hear('choose');
    keyboard.press([click]);
    expect(heard).toEqual(['errlog', 'choose']);
  });

  it('runs a repeating command once for a run of its key, any other once for each', () => {
    const { keyboard, ran, next, listen } = recorded();
    listen('errlog', 'down', 'up', 'follow');
    keyboard.press([{ text: 'jjjkkff' }]);
    next();
    expect(ran).toEqual(['errlog.down x3', 'errlog.up x2', 'errlog.follow', 'errlog.follow']);
  });

  it('delays the next key until the screen shows the result of the last one', () => {
    const { keyboard, ran, next, listen } = recorded();
    listen('apiTokens', 'create', 'down');
    let typed = '';
    keyboard.press([{ text: 'ajj' }]);
    expect(ran).toEqual(['apiTokens.create']);
    keyboard.set('form', { owner: {}, handlers: {}, onText: (text) => (typed += text) });
    next();
    expect(typed).toBe('jj');
    expect(ran).toEqual(['apiTokens.create']);
  });

  it('drops the begun chord and the count when a dialog opens or the mouse is used', () => {
    const { keyboard, ran, listen } = recorded();
    listen('errlog', 'top', 'down');
    keyboard.press([{ text: 'g' }]);
    expect(keyboard.pending()).toEqual({ count: '', prefix: 'g' });
    listen('text', 'close');
    expect(keyboard.pending()).toEqual({ count: '', prefix: null });
    keyboard.press([{ text: 'q' }]);
    expect(ran).toEqual(['text.close']);
    keyboard.set('text', { owner: {}, handlers: {} });
    listen('errlog', 'top', 'down');
    keyboard.remove('text', {});
    keyboard.press([{ text: '12' }, { mouse: { kind: 'click', column: 1, row: 1 } }]);
    expect(keyboard.pending()).toEqual({ count: '', prefix: null });
  });

  it('delays a key that arrives while the last key of a chunk renders', () => {
    const { keyboard, ran, listen } = recorded();
    const later: (() => void)[] = [];
    keyboard.setAfterRender((run) => later.push(run));
    listen('errlog', 'down', 'follow');
    keyboard.press([{ text: 'jf' }]);
    later.shift()?.();
    expect(ran).toEqual(['errlog.down', 'errlog.follow']);
    keyboard.press([{ text: 'j' }]);
    expect(ran).toHaveLength(2);
    later.shift()?.();
    expect(ran).toEqual(['errlog.down', 'errlog.follow', 'errlog.down']);
  });

  it('runs commands of the overlay and of the root only', () => {
    const { keyboard, ran, listen } = recorded();
    listen('root', 'quitNow');
    listen('app', 'quit');
    listen('errlog', 'down');
    listen('text', 'close');
    keyboard.press([{ text: 'j' }]);
    keyboard.press([{ text: 'q' }]);
    keyboard.press([{ stroke: 'ctrl+c' }]);
    expect(keyboard.underneath().map(({ command }) => command)).toEqual(['down', 'quit', 'quitNow']);
    listen('signIn', 'submit');
    keyboard.press([{ text: 'q' }]);
    keyboard.press([{ stroke: 'enter' }]);
    expect(ran).toEqual(['text.close', 'root.quitNow', 'signIn.submit']);
  });

  it('keeps an overlay that another owner has replaced', () => {
    const { keyboard, ran, listen } = recorded();
    const first: Listener = { owner: {}, handlers: {} };
    listen('errlog', 'down');
    keyboard.set('text', first);
    listen('text', 'close');
    keyboard.remove('text', first.owner);
    keyboard.press([{ text: 'q' }]);
    expect(ran).toEqual(['text.close']);
  });

  it('says why the user may not run a command, and does not list it', () => {
    const { keyboard, ran, listen } = recorded();
    keyboard.setRefusal(refusalFor('api_token:read'));
    listen('apiTokens', 'create', 'down');
    keyboard.setSay((text) => ran.push(text));
    keyboard.press([{ text: 'a' }]);
    expect(ran).toEqual(['Needs a permission.']);
    expect(keyboard.bound().map(({ command }) => command)).toEqual(['down']);
    keyboard.setRefusal(refusalFor('api_token:write'));
    expect(keyboard.bound().map(({ command }) => command)).toEqual(['down', 'create']);
  });

  it('treats Alt and a key as Escape and that key', () => {
    const { keyboard, ran, next, listen } = recorded();
    listen('errlog', 'close', 'down');
    keyboard.press([{ stroke: 'alt+j' }]);
    next();
    expect(ran).toEqual(['errlog.close', 'errlog.down']);
  });
});
