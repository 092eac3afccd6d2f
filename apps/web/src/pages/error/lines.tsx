// The newest lines of an error, and the fields whose values differ between them.
import type { ErrlogEntry } from '@quarterdeck/sdk';
import { useCallback } from 'react';
import { Link } from 'wouter';
import { LineList, type ListedLine } from '../../components/line-list.tsx';
import { ReadState } from '../../components/read-state.tsx';
import type { LiveEvent } from '../../data/live.tsx';
import { useRead } from '../../data/use-read.ts';
import { useSession } from '../../session/session.tsx';
import { errorText } from '../../text/error.ts';
import { numberText } from '../../words/format.ts';

/** Lines that are read, and lines that are shown. */
const READ = 100;
const SHOWN = 20;
/** Values shown of a field. */
const VALUES = 5;

/** A line, or an occurrence that stands for one. */
type ErrorLine = ListedLine & { readonly fields: Readonly<Record<string, string>> };

/** The part of the page about lines. */
export function Lines({ entry: { id, level } }: { readonly entry: ErrlogEntry }) {
  const { client, can, session } = useSession();
  // A read-only link reads no other lines than those of its error.
  const isSignedIn = session.status === 'in';
  const read = useRead(
    useCallback(
      async (signal): Promise<readonly ErrorLine[]> => {
        if (isSignedIn) return (await client.line.list({ query: { group: id, limit: READ } }, { signal })).data;
        const { data } = await client.errlog.occurrences(
          { params: { id }, query: { start: 0, end: READ } },
          { signal },
        );
        return data.map((one, index) => ({ ...one, id: String(index), level, host: '', source: '' }));
      },
      [client, id, level, isSignedIn],
    ),
    {
      concerns: useCallback(
        ({ type, data }: LiveEvent) => type.startsWith('errlog.') && 'id' in data && data.id === id,
        [id],
      ),
    },
  );
  return (
    <ReadState read={read} noun={errorText.linesNoun}>
      {(lines) => (
        <>
          <Differing lines={lines} />
          <section>
            <h2>{errorText.lines}</h2>
            {lines.length === 0 ? (
              <p className="muted">{errorText.noLines}</p>
            ) : (
              <LineList lines={lines.slice(0, SHOWN)} />
            )}
            {can('errlog:read') && lines.length > 0 && (
              <p>
                <Link href={`/lines?filter=group:${id}`}>{errorText.allLines}</Link>
              </p>
            )}
          </section>
        </>
      )}
    </ReadState>
  );
}

interface Field {
  readonly name: string;
  /** Values and how many lines have them, the most frequent first. */
  readonly values: readonly (readonly [value: string, count: number])[];
}

/** The fields that most lines have and that differ between them. */
function differingFields(lines: readonly ErrorLine[]): Field[] {
  const names = new Set(lines.flatMap(({ fields }) => Object.keys(fields)));
  return [...names].flatMap((name) => {
    const counts = new Map<string, number>();
    for (const { fields } of lines) {
      const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    const values = [...counts].sort(([, a], [, b]) => b - a);
    return values.length > 1 ? [{ name, values }] : [];
  });
}

function Differing({ lines }: { readonly lines: readonly ErrorLine[] }) {
  const fields = differingFields(lines);
  if (fields.length === 0) return null;
  return (
    <section>
      <h2>{errorText.differs}</h2>
      <dl className="facts">
        {fields.map(({ name, values }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <ul className="values">
                {values.slice(0, VALUES).map(([value, count]) => (
                  <li key={value}>
                    <span className="mono">{value}</span> <span className="muted">{numberText(count)}</span>
                  </li>
                ))}
                {values.length > VALUES && <li className="muted">{errorText.values(values.length)}</li>}
              </ul>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
