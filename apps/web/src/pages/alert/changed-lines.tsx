import type { AlertCause } from '@quarterdeck/sdk';
import { useState } from 'react';
import { Diff } from '../../components/diff.tsx';
import { useToasts } from '../../components/toasts.tsx';
import { useSession } from '../../session/session.tsx';
import { alertText } from '../../text/alert.ts';
import { readDiff } from './read-diff.ts';

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
  return (
    <button type="button" className="button" onClick={show}>
      {words.showLines}
    </button>
  );
}
