// The changed lines of configuration files in an agent's history.
import type { AgentEvent } from '@quarterdeck/core';
import type { Agent, Client } from '@quarterdeck/sdk';
import type { TextDialog } from '../../components/dialog/dialog.ts';
import { agentDiff, agentDiffs } from '../../data/agents.ts';
import type { Dashboard } from '../../data/dashboard.ts';
import { clean, cleanLines } from '../../text/clean.ts';
import { shortTime } from '../../text/format.ts';
import type { Line } from '../../text/lines.ts';
import { wrap } from '../../text/width.ts';
import type { BaseTone } from '../../theme.ts';

const TONES: Readonly<Record<string, BaseTone>> = { '+': 'good', '-': 'bad', '@': 'muted' };

function diffLines(diff: string, width: number): Line[] {
  return cleanLines(diff).flatMap((line) => {
    const tone = TONES[line.charAt(0)] ?? 'plain';
    return wrap(line, width).map((text): Line => [{ text, tone }]);
  });
}

/** Describes the changed lines of a file as a dialog. */
export function diffDialog({ field }: Pick<AgentEvent, 'field'>, diff: string): TextDialog {
  return {
    kind: 'text',
    title: clean(field),
    lines: (width) => diffLines(diff, width),
    copy: cleanLines(diff).join('\n'),
  };
}

/** Shows the changed lines of an entry of the history: of the only one that has some, or of a chosen one. */
export async function showDiffs(
  client: Client,
  { id }: Agent,
  nowMs: number,
  { open, say }: Pick<Dashboard, 'open' | 'say'>,
): Promise<void> {
  const entries = await agentDiffs(client, id);
  const show = async (entry: AgentEvent): Promise<void> => {
    open(diffDialog(entry, await agentDiff(client, id, entry.id)));
  };
  const [first, ...others] = entries;
  if (first === undefined) say({ tone: 'notice', text: 'No changed lines are stored for this agent.' });
  else if (others.length === 0) await show(first);
  else await chosen(entries, nowMs, open).then(show);
}

/** Asks for one of some entries. */
function chosen(entries: readonly AgentEvent[], nowMs: number, open: Dashboard['open']): Promise<AgentEvent> {
  const { promise, resolve } = Promise.withResolvers<AgentEvent>();
  open({
    kind: 'choose',
    title: 'Choose a change',
    choices: entries.map(({ id, field, time }) => ({
      id: String(id),
      text: clean(field),
      note: shortTime(time, nowMs),
    })),
    onTake(choice) {
      const entry = entries.find(({ id }) => String(id) === choice.id);
      if (entry !== undefined) resolve(entry);
    },
  });
  return promise;
}
