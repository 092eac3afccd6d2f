// The suspected change of an alert: its sentence, and the changed lines where this person may read them.
import type { AlertInstance } from '@quarterdeck/sdk';
import { lazy } from 'react';
import { Link } from 'wouter';
import { StrengthBadge } from '../../components/badges.tsx';
import { useSession } from '../../session/session.tsx';
import { alertText } from '../../text/alert.ts';
import { shortTime } from '../../words/format.ts';

const words = alertText;
/** Few changes have lines that this person may read. */
const ChangedLines = lazy(async () => ({ default: (await import('./changed-lines.tsx')).ChangedLines }));

/** The part of the page about the suspected change. */
export function Cause({ alert }: { readonly alert: AlertInstance }) {
  const { can } = useSession();
  const { cause, groups } = alert;
  if (cause === null) return null;
  const { sentence, strength, change, why, settled, next_look: next } = cause;
  const [group] = groups;
  return (
    <section className="card">
      <h2>
        {words.cause} {strength !== null && <StrengthBadge strength={strength} />}
      </h2>
      <p>{sentence ?? `${words.noCause} ${why ?? ''}`}</p>
      {!settled && next !== null && <p className="muted">{words.nextLook(shortTime(next * 1000))}</p>}
      <div className="buttons">
        {change !== null && change.change_id > 0 && can('agent:read') && (
          <Link href={`/changes?id=${change.change_id}`} className="button">
            {words.change}
          </Link>
        )}
        {change !== null && change.change_id === 0 && group !== undefined && can('agent:write') && (
          <ChangedLines group={group} change={change} />
        )}
      </div>
    </section>
  );
}
