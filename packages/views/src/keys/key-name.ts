// Names of keys on the screen. Pure.

const KEY_NAMES: Readonly<Record<string, string>> = {
  enter: 'Enter',
  escape: 'Esc',
  space: 'Space',
  tab: 'Tab',
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
  pageup: 'PgUp',
  pagedown: 'PgDn',
  home: 'Home',
  end: 'End',
  backspace: 'Backspace',
  delete: 'Del',
};

/** Formats a key for display: `Ctrl-d`, `Esc`, `g g`. */
export function keyName(key: string): string {
  return key
    .split(' ')
    .map((stroke) => {
      // `+` is also a key of its own.
      const parts = stroke.split(/\+(?=.)/);
      const last = parts.pop() ?? '';
      const modifiers = parts.map((part) => `${part[0]?.toUpperCase()}${part.slice(1)}-`).join('');
      return modifiers + (KEY_NAMES[last] ?? (/^f\d+$/.test(last) ? last.toUpperCase() : last));
    })
    .join(' ');
}
