// Goes from a row to one of several things.
import type { Choice } from '@quarterdeck/views/questions';
import type { Dashboard } from '../../context/dashboard.ts';

/** Returns a command that takes the only choice, or asks for one; undefined without a choice. */
export function goToOne(
  title: string,
  choices: readonly Choice[],
  open: Dashboard['open'],
  onTake: (id: string) => void,
): (() => void) | undefined {
  const [first, ...others] = choices;
  if (first === undefined) return undefined;
  if (others.length === 0) return () => onTake(first.id);
  return () => open({ kind: 'choose', title, choices, onTake: ({ id }) => onTake(id) });
}
