// Keys of the page. They are the dashboard's; a field that takes text keeps its own.
import { useEffect, useEffectEvent } from 'react';

/** Names of the commands that have keys. */
export type KeyCommand = 'down' | 'up' | 'top' | 'bottom' | 'search' | 'open' | 'back' | 'help';

/** The keys of each command; the first of them is shown. */
export const KEY_TABLE: Readonly<Record<KeyCommand, readonly string[]>> = {
  down: ['j', 'ArrowDown'],
  up: ['k', 'ArrowUp'],
  top: ['g g', 'Home'],
  bottom: ['G', 'End'],
  search: ['/'],
  open: ['Enter'],
  back: ['Escape'],
  help: ['?'],
};

/** Time in which the second key of a pair has to follow, milliseconds. */
const PAIR_MS = 1_000;

/** True for an element that takes text, or has a use of its own for keys. */
const takesKeys = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.closest('input, select, textarea, dialog[open], [popover]:popover-open') !== null);

/** A control that Enter presses. */
const isPressed = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('a, button, summary, [role="button"]') !== null;

/** Runs commands when their keys are pressed. A handler that returns false leaves the key to others. */
export function useKeys(handlers: { readonly [C in KeyCommand]?: () => unknown }): void {
  const onCommand = useEffectEvent((stroke: string): boolean => {
    for (const [command, keys] of Object.entries(KEY_TABLE)) {
      if (keys.includes(stroke)) {
        const handler = handlers[command as KeyCommand];
        return handler !== undefined && handler() !== false;
      }
    }
    return false;
  });
  useEffect(() => {
    let before = { key: '', atMs: 0 };
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || takesKeys(event.target)) return;
      if (event.key === 'Enter' && isPressed(event.target)) return;
      const isPair = event.timeStamp - before.atMs < PAIR_MS;
      const pair = `${before.key} ${event.key}`;
      before = { key: event.key, atMs: event.timeStamp };
      if ((isPair && onCommand(pair)) || onCommand(event.key)) event.preventDefault();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}
