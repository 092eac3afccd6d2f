import { Link } from 'wouter';
import { ErrorRow } from '../../components/error-row.tsx';
import { ReadState } from '../../components/read-state.tsx';
import { about } from '../../data/live.tsx';
import { useRead } from '../../data/use-read.ts';
import { errorsText } from '../../text/errors.ts';
import { overviewText } from '../../text/overview.ts';

const words = overviewText;
const SHOWN = 5;
/** Errors and worse, in the states that need attention. */
const OPEN = { level_max: 4, state: 'new,regressed' };
const DAY_S = 86_400;
const MINUTE_S = 60;

/** The newest errors that nobody has looked at. */
export function OpenErrors() {
  const read = useRead(
    (client, call) => {
      // At a whole minute, so that requests repeat.
      const start_time = (Math.floor(Date.now() / 1000 / MINUTE_S) - DAY_S / MINUTE_S) * MINUTE_S;
      const query = { ...OPEN, start_time, rollup: true, detail: 1, start: 0, end: SHOWN };
      return client.errlog.list({ query }, call);
    },
    [],
    { concerns: about('errlog'), key: 'overview errors' },
  );
  return (
    <section className="card">
      <h2>{words.errors}</h2>
      <ReadState read={read} noun={errorsText.noun}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <p className="all-well">{words.noErrors}</p>
          ) : (
            <>
              <ul className="rows">
                {data.map((entry) => (
                  <li key={entry.id} className="row">
                    <ErrorRow entry={entry} />
                  </li>
                ))}
              </ul>
              {meta.count > data.length && (
                <Link href={`/e?level_max=${OPEN.level_max}&state=${OPEN.state}`} className="button">
                  {words.allErrors}
                </Link>
              )}
            </>
          )
        }
      </ReadState>
    </section>
  );
}
