// The own sessions, each of which can be ended.
import type { Session } from '@quarterdeck/sdk';
import { Button } from '../../components/button.tsx';
import { ReadState } from '../../components/read-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useToasts } from '../../components/toasts.tsx';
import { useRead } from '../../data/use-read.ts';
import { useSession } from '../../session/session.tsx';
import { accountText } from '../../text/account.ts';

const words = accountText.sessions;
/** Most sessions shown. */
const SESSIONS_MAX = 100;

/** The end of a session that is not used again, Unix milliseconds. */
const endOf = ({ expire, idle_until: idle }: Session): number => (idle === 0 ? expire : Math.min(expire, idle));

/** The part of the page about sessions. */
export function Sessions() {
  const { client } = useSession();
  const { act } = useToasts();
  const read = useRead(({ user }, call) => user.sessions({ query: { start: 0, end: SESSIONS_MAX } }, call), []);
  const end = (change: () => Promise<unknown>, done: string): Promise<boolean> =>
    act(async () => {
      await change();
      read.refresh();
      return done;
    });
  return (
    <section className="card">
      <h2>{words.title}</h2>
      <ReadState read={read} noun={words.noun}>
        {({ data }) => (
          <>
            <ul className="rows">
              {data.map((session) => (
                <li key={session.id} className="row session">
                  <div>
                    <p>
                      {session.client || words.unknown}
                      {session.current && <span className="badge badge-good">{words.current}</span>}
                    </p>
                    <p className="muted">
                      {session.address}
                      {session.last_used > 0 && (
                        <>
                          , {words.used} <RelativeTime ms={session.last_used * 1000} />
                        </>
                      )}
                      , {words.ends} <RelativeTime ms={endOf(session)} />
                    </p>
                  </div>
                  {!session.current && (
                    <Button
                      onClick={() =>
                        void end(() => client.user.removeSession({ params: { id: session.id } }), words.ended)
                      }
                    >
                      {words.end}
                    </Button>
                  )}
                </li>
              ))}
            </ul>
            {data.length > 1 && (
              <Button onClick={() => void end(() => client.user.removeOtherSessions(), words.othersEnded)}>
                {words.endOthers}
              </Button>
            )}
          </>
        )}
      </ReadState>
    </section>
  );
}
