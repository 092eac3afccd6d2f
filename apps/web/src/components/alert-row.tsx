import type { Alert } from '@quarterdeck/sdk';
import { alertPerson, alertState, alertTitle } from '@quarterdeck/views/alerts';
import { Link } from 'wouter';
import { overviewText } from '../text/overview.ts';
import { plural } from '../words/plural.ts';
import { RelativeTime } from './relative-time.tsx';

/** A row of a list of alerts. */
export function AlertRow({ alert }: { readonly alert: Alert }) {
  const { text: state, tone } = alertState(alert);
  const person = alertPerson(alert);
  return (
    <li className="row">
      <p className="row-title">
        <Link href={`/a/${alert.id}`} className="row-link">
          {alertTitle(alert)}
        </Link>
      </p>
      <p className="row-facts">
        <span className={`badge badge-${tone}`}>{state}</span>
        <RelativeTime ms={alert.since * 1000} />
        {person !== '' && <span>{person}</span>}
        {alert.under > 0 && <span>{overviewText.under(plural(alert.under, 'alert'))}</span>}
      </p>
    </li>
  );
}
