// The command that compares two marked agents, or one agent with its state at another time.
import type { Agent, Client } from '@quarterdeck/sdk';
import { agentAt, agentName } from '@quarterdeck/views/agents';
import { failureOf } from '@quarterdeck/views/failures';
import { momentText } from '@quarterdeck/views/text';
import type { List } from '../../components/list/use-list.ts';
import type { Dashboard } from '../../context/dashboard.ts';
import type { Dialog } from '../../context/dialog.ts';
import { compareDialog } from './agent-compare.ts';
import { momentDialog } from './moment-dialog.ts';

/** Everything that the command needs. */
interface CompareContext extends Pick<Dashboard, 'open' | 'say' | 'now' | 'zone'> {
  readonly client: Client;
  /** The time at which the list shows agents, Unix seconds; undefined = now. */
  readonly at: number | undefined;
  /** Opens a dialog that waits for an answer of the server. */
  readonly openLater: (dialog: Promise<Dialog>) => void;
}

/** Compares an agent now with itself at a time. Where the list shows the past, `shown` is a row of that time. */
async function nowAndThen(shown: Agent, at: number, { client, now, at: shownAt }: CompareContext): Promise<Dialog> {
  const name = agentName(shown);
  const then = `at ${momentText(at, now())}`;
  try {
    const [present, past] = await Promise.all([
      shownAt === undefined ? shown : client.agent.get({ params: { id: shown.id }, query: { detail: 1 } }),
      shownAt === undefined ? agentAt(client, shown.id, at) : shown,
    ]);
    return compareDialog({ name: `${name} now`, agent: present }, { name: then, agent: past }, now());
  } catch (error) {
    if (failureOf(error).code !== 'not_found') throw error;
    return { kind: 'text', title: name, lines: () => [[{ text: `${name} did not exist ${then}.` }]] };
  }
}

/** Asks for the time of the other side. */
const timeDialog = (agent: Agent, context: CompareContext): Dialog =>
  momentDialog(
    { title: `Compare ${agentName(agent)} with its state at another time`, submit: 'compare' },
    context,
    (moment) => nowAndThen(agent, moment, context),
  );

/** Compares two marked agents, or the selected one with its state at a time that is asked for. */
export function compareCommand({ chosen }: Pick<List<Agent>, 'chosen'>, context: CompareContext): void {
  const [first, second, ...others] = chosen;
  if (first === undefined) return;
  if (others.length > 0) {
    context.say({ tone: 'notice', text: 'Mark two agents to compare them, or none to compare one with its past.' });
  } else if (second !== undefined) {
    const side = (agent: Agent) => ({ name: agentName(agent), agent });
    context.open(compareDialog(side(first), side(second), context.now()));
  } else if (context.at !== undefined) context.openLater(nowAndThen(first, context.at, context));
  else context.open(timeDialog(first, context));
}
