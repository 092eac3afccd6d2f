// The history of an agent, with the changed lines of its configuration files.
import { type AgentEvent, can, contract } from '@quarterdeck/core';
import type { Agent, Client } from '@quarterdeck/sdk';
import { reportFailure, subjectOf } from '@quarterdeck/views/actions';
import { agentDiff, agentDiffs, agentName, eventText, kindWord } from '@quarterdeck/views/agents';
import type { ChooseDialog } from '@quarterdeck/views/questions';
import { clean, shortTime, signed } from '@quarterdeck/views/text';
import { paragraph } from '../../components/list/detail-lines.ts';
import type { Dashboard } from '../../context/dashboard.ts';
import type { TextDialog } from '../../context/dialog.ts';
import { diffDialog } from '../shared/diff-dialog.ts';

/** Everything that the dialogs of the history need. */
interface HistoryContext extends Pick<Dashboard, 'open' | 'me' | 'now' | 'say' | 'fail'> {
  readonly client: Client;
}

/** An entry of the history as a dialog, with all of its text. */
function entryDialog(event: AgentEvent, nowMs: number): TextDialog {
  const { time, kind, actor } = event;
  const text = [eventText(event), ...(actor === '' ? [] : [`by ${clean(actor)}`])].filter((part) => part !== '');
  return {
    kind: 'text',
    title: `${signed(kindWord(kind)).text} · ${shortTime(time, nowMs)}`,
    lines: (width) => (text.length === 0 ? ['No more is known.'] : text).flatMap((part) => paragraph(part, width)),
    copy: text.join('\n'),
  };
}

/** Reads and shows the changed lines of an entry. */
const showDiff = async ({ id }: Agent, event: AgentEvent, { client, open }: HistoryContext): Promise<void> =>
  open(diffDialog(event, await agentDiff(client, id, event.id)));

/** Lists entries of a history to choose from: Enter shows the changed lines of one, or else all of its text. */
export function historyDialog(
  agent: Agent,
  history: readonly AgentEvent[],
  context: HistoryContext,
  title = `History of ${agentName(agent)}`,
): ChooseDialog {
  const { me, open, now } = context;
  const maySee = can(subjectOf(me), contract.agent.diff.access);
  const lead = (time: number): string => shortTime(time, now());
  return {
    kind: 'choose',
    title,
    choices: history.map((event) => ({
      id: String(event.id),
      lead: lead(event.time),
      text: [signed(kindWord(event.kind)).text, eventText(event)].join('  '),
      ...(event.has_diff && maySee ? { note: 'changed lines' } : {}),
    })),
    onTake(choice) {
      const event = history.find(({ id }) => String(id) === choice.id);
      if (event === undefined) return;
      if (!event.has_diff || !maySee) return open(entryDialog(event, now()));
      showDiff(agent, event, context).catch(reportFailure(context));
    },
  };
}

/** Shows the changed lines of an agent's configuration: of the only entry that has some, or of a chosen one. */
export async function showDiffs(agent: Agent, context: HistoryContext): Promise<void> {
  const entries = await agentDiffs(context.client, agent.id);
  const [first, ...others] = entries;
  if (first === undefined) context.say({ tone: 'notice', text: 'No changed lines are stored for this agent.' });
  else if (others.length === 0) await showDiff(agent, first, context);
  else context.open(historyDialog(agent, entries, context, 'Choose a change'));
}
