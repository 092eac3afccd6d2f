import { AlertRow } from '../../components/alert-row.tsx';
import { Freshness, ReadState } from '../../components/read-state.tsx';
import { about } from '../../data/live.tsx';
import { useRead } from '../../data/use-read.ts';
import { overviewText } from '../../text/overview.ts';
import { plural } from '../../words/plural.ts';

const words = overviewText;
/** Alerts shown; a night with more has one cause. */
const SHOWN = 20;

/** The alerts that fire, without those that are grouped under another one. */
export function OpenAlerts() {
  const read = useRead(
    (client, call) => client.alert.instances({ query: { state: 'firing', start: 0, end: 100 } }, call),
    [],
    { concerns: about('alert'), key: 'overview alerts' },
  );
  return (
    <section className="card">
      <div className="card-head">
        <h2>{words.alerts}</h2>
        <Freshness read={read} />
      </div>
      <ReadState read={read} noun={words.alertsNoun}>
        {({ data, meta }) => {
          const alerts = data.filter(({ parent_id: parent }) => parent === null);
          if (alerts.length === 0) return <p className="all-well">{words.noAlerts}</p>;
          const more = alerts.length - SHOWN;
          return (
            <>
              <ul className="rows">
                {alerts.slice(0, SHOWN).map((alert) => (
                  <AlertRow key={alert.id} alert={alert} />
                ))}
              </ul>
              {(more > 0 || meta.count > data.length) && (
                <p className="muted">{words.more(plural(Math.max(more, meta.count - SHOWN), 'alert'))}</p>
              )}
            </>
          );
        }}
      </ReadState>
    </section>
  );
}
