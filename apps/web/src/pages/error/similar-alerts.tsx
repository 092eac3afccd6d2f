import { AlertRow } from '../../components/alert-row.tsx';
import { ReadState } from '../../components/read-state.tsx';
import { useRead } from '../../data/use-read.ts';
import { useSession } from '../../session/session.tsx';
import { errorText } from '../../text/error.ts';

/** Alerts that are looked at, newest first, and that are shown. */
const READ = 1_000;
const SHOWN = 10;

/** The alerts about an error. */
export function SimilarAlerts({ id }: { readonly id: number }) {
  const { can } = useSession();
  const read = useRead(
    async (client, call) => {
      const { data } = await client.alert.instances({ query: { start: 0, end: READ } }, call);
      return data.filter(({ groups }) => groups.includes(id)).slice(0, SHOWN);
    },
    [id],
    { enabled: can('alert:read') },
  );
  if (!can('alert:read') || read.data?.length === 0) return null;
  return (
    <section className="card">
      <h2>{errorText.alerts}</h2>
      <ReadState read={read} noun={errorText.alertsNoun}>
        {(alerts) => (
          <ul className="rows">
            {alerts.map((alert) => (
              <AlertRow key={alert.id} alert={alert} />
            ))}
          </ul>
        )}
      </ReadState>
    </section>
  );
}
