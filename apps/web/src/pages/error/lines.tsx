// The newest lines of an error, and the fields whose values differ between them.
import type { ErrlogEntry, Line } from '@quarterdeck/sdk';
import { differingFields, growShape, lineValue, NO_SHAPE } from '@quarterdeck/views/lines';
import { clean } from '@quarterdeck/views/text';
import { Link } from 'wouter';
import { Fact } from '../../components/fact.tsx';
import { LineList } from '../../components/line-list.tsx';
import { ReadState } from '../../components/read-state.tsx';
import { about } from '../../data/live.tsx';
import { useRead } from '../../data/use-read.ts';
import { useSession } from '../../session/session.tsx';
import { errorText } from '../../text/error.ts';
import { numberText } from '../../words/format.ts';

/** Lines that are read, and lines that are shown. */
const READ = 100;
const SHOWN = 20;
/** Values shown of a field. */
const VALUES = 5;

/** The parts of a line that an occurrence lacks. */
const NO_LINE = { src: 0, source: '', host: '', service: '' };

/** The part of the page about lines. */
export function Lines({ entry: { id, level } }: { readonly entry: ErrlogEntry }) {
  const { can, session } = useSession();
  // A read-only link reads no other lines than those of its error.
  const isSignedIn = session.status === 'in';
  const read = useRead(
    async (client, call): Promise<readonly Line[]> => {
      if (isSignedIn) return (await client.line.list({ query: { group: id, limit: READ } }, call)).data;
      const { data } = await client.errlog.occurrences({ params: { id }, query: { start: 0, end: READ } }, call);
      return data.map((one, index) => ({ ...NO_LINE, ...one, id: String(index), level, group: id }));
    },
    [id, level, isSignedIn],
    { concerns: about('errlog', id) },
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

/** The values of a field and how many lines have them, the most frequent first. */
function valuesOf(lines: readonly Line[], name: string): (readonly [value: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const line of lines) {
    const value = lineValue(line, name);
    if (value !== '') counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a);
}

function Differing({ lines }: { readonly lines: readonly Line[] }) {
  const fields = differingFields(growShape(NO_SHAPE, lines)).map((name) => ({ name, values: valuesOf(lines, name) }));
  if (fields.length === 0) return null;
  return (
    <section>
      <h2>{errorText.differs}</h2>
      <dl className="facts">
        {fields.map(({ name, values }) => (
          <Fact key={name} name={clean(name)}>
            <ul className="values">
              {values.slice(0, VALUES).map(([value, count]) => (
                <li key={value}>
                  <span className="mono">{clean(value)}</span> <span className="muted">{numberText(count)}</span>
                </li>
              ))}
              {values.length > VALUES && <li className="muted">{errorText.values(values.length)}</li>}
            </ul>
          </Fact>
        ))}
      </dl>
    </section>
  );
}
