// The lines around one line, oldest first, in the place of the list.
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { ReadState } from '../../components/read-state.tsx';
import type { ChangeParams } from '../../data/use-params.ts';
import { useRead } from '../../data/use-read.ts';
import { linesText } from '../../text/lines.ts';
import { LineRow } from './line-row.tsx';

const words = linesText;
/** Lines on each side. */
const SIDE = 50;

export interface LinesAroundProps {
  readonly id: string;
  readonly columns: readonly string[];
  readonly onChange: ChangeParams;
  readonly onNarrow: (name: string, value: string) => void;
}

export function LinesAround({ id, columns, onChange, onNarrow }: LinesAroundProps) {
  const [open, setOpen] = useState<string | null>(null);
  const place = useRef<HTMLDivElement>(null);
  const read = useRead(
    (client, call) => client.line.context({ params: { id }, query: { before: SIDE, after: SIDE } }, call),
    [id],
  );
  const isRead = read.data !== undefined;
  useEffect(() => {
    if (isRead) place.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'center' });
  }, [isRead, id]);
  return (
    <section aria-label={words.aroundTitle}>
      <p>
        <Button onClick={() => onChange({ around: undefined })}>{words.backToList}</Button>
      </p>
      <ReadState read={read} noun={words.noun}>
        {({ data, meta }) => (
          <div ref={place} className="log">
            {meta?.complete === false && <p className="stale">{words.incomplete}</p>}
            {data.map((line) => (
              <LineRow
                key={line.id}
                line={line}
                columns={columns}
                isChosen={line.id === id}
                isOpen={open === line.id}
                onToggle={() => setOpen(open === line.id ? null : line.id)}
                onChange={onChange}
                onNarrow={onNarrow}
              />
            ))}
          </div>
        )}
      </ReadState>
    </section>
  );
}
