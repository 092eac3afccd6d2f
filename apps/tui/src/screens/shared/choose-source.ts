// The choice between sources with the same name or agent.
import type { ErrlogSource } from '@quarterdeck/core';
import { clean, plural } from '@quarterdeck/views/text';
import type { Dashboard } from '../../context/dashboard.ts';
import { goToOne } from '../list/go-to-one.ts';

const senderOf = ({ agent_id: agent, address }: ErrlogSource): string =>
  agent > 0 ? `agent ${agent}` : clean(address);

/** Shows the only source, or the one that is chosen. */
export function chooseSource(
  sources: readonly ErrlogSource[],
  open: Dashboard['open'],
  show: (src: number) => void,
): void {
  const choices = sources.map((source) => ({
    id: String(source.id),
    text: clean(source.name),
    note: `${senderOf(source)} · ${plural(source.groups, 'group')}`,
  }));
  goToOne('Choose a source', choices, open, (id) => show(Number(id)))?.();
}
