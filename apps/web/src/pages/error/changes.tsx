// Changes on the hosts before the error began, or became more frequent.
import type { ChangeWindow, SuspectedChange } from '@quarterdeck/sdk';
import { Link } from 'wouter';
import { StrengthBadge } from '../../components/badges.tsx';
import { ReadState } from '../../components/read-state.tsx';
import { SafeLink } from '../../components/safe-link.tsx';
import { useRead } from '../../data/use-read.ts';
import { useSession } from '../../session/session.tsx';
import { alertText } from '../../text/alert.ts';
import { errorText } from '../../text/error.ts';
import { shortTime } from '../../words/format.ts';

/** Changes shown of each window; the list is ordered by how much they explain. */
const SHOWN = 5;

/** The part of the page about changes. */
export function Changes({ id }: { readonly id: number }) {
  const read = useRead((client, call) => client.errlog.changes({ params: { id }, query: {} }, call), [id]);
  return (
    <section>
      <h2>{errorText.changes}</h2>
      <ReadState read={read} noun={errorText.changesNoun}>
        {({ windows, complete }) => (
          <>
            {windows.length === 0 && <p className="muted">{errorText.noChanges}</p>}
            {windows.map((window) => (
              <Window key={`${window.kind} ${window.time}`} window={window} />
            ))}
            {!complete && <p className="muted">{errorText.changesIncomplete}</p>}
          </>
        )}
      </ReadState>
    </section>
  );
}

const Window = ({ window: { kind, time, summary, changes } }: { readonly window: ChangeWindow }) => (
  <div className="card">
    <h3>
      {errorText.window[kind]}, {shortTime(time * 1000)}
    </h3>
    <p>{summary}</p>
    {changes.length > 0 && (
      <ul className="rows">
        {changes.slice(0, SHOWN).map((change) => (
          <li key={`${change.kind} ${change.field} ${change.name} ${change.to}`} className="row">
            <Change change={change} />
          </li>
        ))}
      </ul>
    )}
  </div>
);

function Change({ change }: { readonly change: SuspectedChange }) {
  const { can } = useSession();
  const { explanation, strength, affected, unaffected, change_id: id, url } = change;
  return (
    <>
      <p>
        <StrengthBadge strength={strength} /> {explanation}
      </p>
      <p className="row-facts">
        <span>
          {errorText.shares(errorText.of(affected.with, affected.of), errorText.of(unaffected.with, unaffected.of))}
        </span>
        {id > 0 && can('agent:read') && <Link href={`/changes?id=${id}`}>{alertText.change}</Link>}
        {url !== '' && <SafeLink href={url}>{url}</SafeLink>}
      </p>
    </>
  );
}
