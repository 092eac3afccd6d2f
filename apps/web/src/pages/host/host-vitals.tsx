// Vitals of a host in the last hours, each resource as bars. The words beside the bars say the same.
import { agentVitals, VITALS_HOURS, type VitalsRow, vitalsRows } from '@quarterdeck/views/agents';
import { ReadState } from '../../components/read-state.tsx';
import { useRead } from '../../data/use-read.ts';
import { hostsText } from '../../text/hosts.ts';

const words = hostsText;
/** Bars of a resource: five minutes each. */
const BARS = 72;

interface VitalsProps {
  readonly id: number;
  /** Unix seconds; undefined for now. */
  readonly at: number | undefined;
}

/** The part of the page about vitals. */
export function HostVitals({ id, at }: VitalsProps) {
  const read = useRead(
    (client, { signal }) => agentVitals(client, id, at ?? Math.floor(Date.now() / 1000), signal),
    [id, at],
  );
  return (
    <section>
      <h2>{words.vitals(VITALS_HOURS)}</h2>
      <ReadState read={read} noun={words.vitalsNoun}>
        {(found) => {
          const rows = vitalsRows(found, BARS);
          if (rows.length === 0) return <p className="muted">{words.noVitals}</p>;
          return (
            <dl className="vitals">
              {rows.map((row) => (
                <div key={row.label}>
                  <dt>{row.label}</dt>
                  <dd>
                    <Bars row={row} />
                    <span className={row.isOver ? 'vitals-over' : undefined}>{row.text}</span>
                  </dd>
                </div>
              ))}
            </dl>
          );
        }}
      </ReadState>
    </section>
  );
}

function Bars({ row: { steps, limit } }: { readonly row: VitalsRow }) {
  // A load may be far over 100 %.
  const top = Math.max(100, ...steps.map((step) => step ?? 0));
  return (
    <svg viewBox={`0 0 ${BARS} ${top}`} preserveAspectRatio="none" aria-hidden="true">
      {steps.map(
        (step, index) =>
          step !== null && (
            <rect
              key={index}
              className={step > limit ? 'vitals-bar-over' : 'vitals-bar'}
              x={index + 0.1}
              y={top - step}
              width={0.8}
              height={step}
            />
          ),
      )}
    </svg>
  );
}
