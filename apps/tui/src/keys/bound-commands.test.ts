import { describe, expect, it } from 'vitest';
import { createBoundCommands } from './bound-commands.ts';
import type { Place } from './keymap.ts';
import { createListeners } from './listeners.ts';

function setUp() {
  const listeners = createListeners();
  const commands = createBoundCommands(listeners);
  const listen = (place: Place, ...names: string[]): void => {
    listeners.set(place, { owner: {}, handlers: Object.fromEntries(names.map((name) => [name, () => undefined])) });
    commands.update();
  };
  const names = (): string[] => commands.now().map(({ command }) => command);
  return { commands, listeners, listen, names };
}

describe('bound commands', () => {
  it('lists the commands of the focused place, then those of the root', () => {
    const { commands, listen, names } = setUp();
    listen('root', 'quitNow');
    listen('errlog', 'down');
    listen('text', 'close');
    expect(names()).toEqual(['close', 'quitNow']);
    expect(commands.underneath().map(({ command }) => command)).toEqual(['down', 'quitNow']);
  });

  it('leaves out commands that the user may not run', () => {
    const { commands, listen, names } = setUp();
    listen('apiTokens', 'create', 'down');
    expect(names()).toEqual(['down']);
    expect(commands.unavailable()).toMatchObject([{ command: 'create', reason: 'Sign in first.' }]);
    commands.setRefusal(() => null);
    expect(names()).toEqual(['down', 'create']);
    expect(commands.unavailable()).toEqual([]);
  });

  it('tells a new reason why a command cannot run', () => {
    const { commands, listeners, names } = setUp();
    let changes = 0;
    commands.subscribe(() => {
      changes += 1;
    });
    for (const reason of ['Select a row first.', 'Select a row first.', 'It has started.']) {
      if (listeners.set('errlog', { owner: {}, handlers: { follow: reason } })) commands.update();
    }
    expect(names()).toEqual([]);
    expect(commands.unavailable()).toMatchObject([{ command: 'follow', reason: 'It has started.' }]);
    expect(changes).toBe(2);
  });

  it('uses the keys of the settings', () => {
    const { commands, listen } = setUp();
    listen('errlog', 'follow');
    let changes = 0;
    commands.subscribe(() => {
      changes += 1;
    });
    commands.setRebound({ 'errlog.follow': ['ctrl+g'] });
    expect(commands.now().map(({ binding }) => binding.keys)).toEqual([['ctrl+g']]);
    expect(changes).toBe(1);
  });
});
