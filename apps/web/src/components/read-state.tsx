// States of a read: loading, failed, and stale.
import type { ReactNode } from 'react';
import { useConnection } from '../data/live.tsx';
import type { Read } from '../data/use-read.ts';
import { text } from '../text/common.ts';
import { shortTime } from '../words/format.ts';
import { Button } from './button.tsx';
import { PageHeader } from './page-header.tsx';

interface ReadStateProps<T> {
  readonly read: Read<T>;
  /** Names the data for the user: `the alert`. */
  readonly noun: string;
  /** Heading of the page while there is no data. */
  readonly title?: string;
  readonly children: (data: T) => ReactNode;
}

/** Shows data once it is there, and says what is missing before that, or afterwards. */
export function ReadState<T>({ read, noun, title, children }: ReadStateProps<T>) {
  const { data, atMs, failure, refresh } = read;
  const retry = <Button onClick={refresh}>{text.failure.retry}</Button>;
  if (data === undefined) {
    const heading = title === undefined ? null : <PageHeader title={title} />;
    return failure === undefined ? (
      <>
        {heading}
        <p className="loading" role="status">
          {text.fresh.loading(noun)}
        </p>
      </>
    ) : (
      <section className="problem" role="alert">
        {heading}
        <p>{failure.message}</p>
        {failure.kind === 'unreachable' && <p>{text.failure.retrying}</p>}
        {retry}
      </section>
    );
  }
  return (
    <>
      {failure !== undefined && (
        <div className="stale" role="alert">
          <p>
            {text.fresh.stale(shortTime(atMs ?? 0))} {failure.message}
          </p>
          {retry}
        </div>
      )}
      {children(data)}
    </>
  );
}

/** Says whether what is shown follows the server, and how old it is. */
export function Freshness({ read: { atMs, failure } }: { readonly read: Read<unknown> }) {
  const connection = useConnection();
  if (atMs === undefined) return null;
  const isLive = connection === 'live' && failure === undefined;
  return (
    <p className={`freshness freshness-${isLive ? 'live' : 'old'}`}>
      {isLive
        ? text.fresh.live
        : `${text.fresh[connection === 'live' ? 'off' : connection]}, ${text.fresh.at(shortTime(atMs))}`}
    </p>
  );
}
