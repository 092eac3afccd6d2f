// The history of a host, newest first, up to the moment that is looked at.
import type { AgentEvent } from '@quarterdeck/sdk';
import { useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../../components/button.tsx';
import { Diff } from '../../components/diff.tsx';
import { ReadState } from '../../components/read-state.tsx';
import { useToasts } from '../../components/toasts.tsx';
import { useRead } from '../../data/use-read.ts';
import { useSession } from '../../session/session.tsx';
import { hostsText } from '../../text/hosts.ts';
import { shortTime } from '../../words/format.ts';

const words = hostsText;
const BLOCK = 50;
const EVENTS_MAX = 1_000;

interface HistoryProps {
  readonly id: number;
  /** Unix seconds; undefined for now. */
  readonly at: number | undefined;
}

export function HostHistory({ id, at }: HistoryProps) {
  const [max, setMax] = useState(BLOCK);
  const read = useRead(
    (client, call) => client.agent.events({ params: { id }, query: { start: 0, end: max } }, call),
    [id, max],
  );
  return (
    <section>
      <h2>{words.history}</h2>
      <ReadState read={read} noun={words.historyNoun}>
        {({ data, meta }) => {
          const shown = data.filter(({ time }) => at === undefined || time <= at);
          return (
            <>
              {shown.length === 0 && <p className="muted">{words.noHistory}</p>}
              <ol className="history">
                {shown.map((event) => (
                  <Entry key={event.id} agentId={id} event={event} />
                ))}
              </ol>
              {meta.count > data.length && data.length < EVENTS_MAX && (
                <Button onClick={() => setMax(max + BLOCK)}>{words.more}</Button>
              )}
            </>
          );
        }}
      </ReadState>
    </section>
  );
}

/** The entry in the words of the wire: `changed system_version.kernel`. */
const titleOf = ({ kind, field, name }: AgentEvent): string =>
  [kind.replaceAll('_', ' '), field, name].filter((part) => part !== '').join(' ');

function Entry({ agentId, event }: { readonly agentId: number; readonly event: AgentEvent }) {
  const { client, can } = useSession();
  const { act } = useToasts();
  const [diff, setDiff] = useState<string | null>(null);
  const { id, time, since, from, to, actor, change_id: change, has_diff: hasDiff, field } = event;
  const show = (): void => {
    void act(async () => {
      const answer = await client.agent.diff({ params: { id: agentId, event: id } });
      setDiff(answer.diff);
      return words.shown;
    });
  };
  return (
    <li className="row">
      <p className="row-facts">
        <time dateTime={new Date(time * 1000).toISOString()}>{shortTime(time * 1000)}</time>
        {since !== null && <span>{words.since(shortTime(since * 1000))}</span>}
        {actor !== '' && <span>{actor}</span>}
      </p>
      <p>{titleOf(event)}</p>
      {(from !== '' || to !== '') && (
        <p className="mono history-values">
          {from} → {to}
        </p>
      )}
      <div className="buttons">
        {change > 0 && (
          <Link href={`/changes?id=${change}`} className="button">
            {words.effects}
          </Link>
        )}
        {hasDiff && diff === null && can('agent:write') && <Button onClick={show}>{words.showLines}</Button>}
      </div>
      {diff !== null && <Diff title={words.linesOf(field)} text={diff} />}
    </li>
  );
}
