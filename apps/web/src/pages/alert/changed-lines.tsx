import type { AlertCause, Client, SuspectedChange } from '@quarterdeck/sdk';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Diff } from '../../components/diff.tsx';
import { useToasts } from '../../components/toasts.tsx';
import { useSession } from '../../session/session.tsx';
import { alertText } from '../../text/alert.ts';

/** Entries of a host's history that are looked at. */
const EVENTS_MAX = 200;

/** Reads the changed lines of a suspected change on the first host that made it; undefined if none are stored. */
async function readDiff(
  client: Client,
  group: number,
  { field, to }: Pick<SuspectedChange, 'field' | 'to'>,
): Promise<{ readonly host: string; readonly text: string } | undefined> {
  const { windows } = await client.errlog.changes({ params: { id: group }, query: {} });
  const suspect = windows
    .flatMap(({ changes }) => changes)
    .find((change) => change.has_diff && change.field === field && change.to === to);
  const [agent] = suspect?.agents ?? [];
  if (agent === undefined) return undefined;
  const params = { id: agent.id };
  const { data } = await client.agent.events({ params, query: { start: 0, end: EVENTS_MAX } });
  const event = data.find((one) => one.field === field && one.to === to);
  if (event === undefined) return undefined;
  const { diff } = await client.agent.diff({ params: { ...params, event: event.id } });
  return { host: agent.hostname, text: diff };
}

const words = alertText;

interface ChangedLinesProps {
  readonly group: number;
  readonly change: NonNullable<AlertCause['change']>;
}

/** The changed lines, read on demand. */
export function ChangedLines({ group, change }: ChangedLinesProps) {
  const { client } = useSession();
  const { act } = useToasts();
  const [diff, setDiff] = useState<{ readonly host: string; readonly text: string } | null>(null);
  if (diff !== null) return <Diff title={words.changedOn(diff.host)} text={diff.text} />;
  const show = (): void => {
    void act(async () => {
      const found = await readDiff(client, group, change);
      if (found === undefined) return words.noLines;
      setDiff(found);
      return words.linesShown;
    });
  };
  return <Button onClick={show}>{words.showLines}</Button>;
}
