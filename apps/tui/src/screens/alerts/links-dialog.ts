// The pages of an alert.
import { clean } from '@quarterdeck/views/text';
import { paragraph } from '../../components/list/detail-lines.ts';
import type { Dialog } from '../../context/dialog.ts';

/** Chooses one of the pages of an alert, to copy its address. */
export function linksDialog(links: readonly { label: string; url: string }[], take: (url: string) => void): Dialog {
  const none = 'This alert has no links: the server does not know its own address, and the rule has no links.';
  if (links.length === 0) return { kind: 'text', title: 'Copy a link', lines: (width) => paragraph(none, width) };
  return {
    kind: 'choose',
    title: 'Copy a link',
    choices: links.map(({ label, url }) => ({ id: url, text: clean(url), lead: label })),
    onTake: ({ id }) => take(id),
  };
}
