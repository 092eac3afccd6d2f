import type { ErrlogEntry } from '@quarterdeck/sdk';
import { clean } from '@quarterdeck/views/text';
import { Link } from 'wouter';
import { plural } from '../words/plural.ts';
import { LevelBadge, StateBadge } from './badges.tsx';
import { RelativeTime } from './relative-time.tsx';

/** A row of the list of errors. */
export function ErrorRow({ entry }: { readonly entry: ErrlogEntry }) {
  const { id, level, log, service, source, host, state, count, sources = 1 } = entry;
  return (
    <article>
      <p className="row-title clamped">
        <Link href={`/e/${id}`} className="row-link mono">
          {clean(entry.log_in_range ?? log)}
        </Link>
      </p>
      <p className="row-facts">
        <LevelBadge level={level} />
        {state !== undefined && <StateBadge state={state} />}
        <span>{plural(entry.count_in_range ?? count, 'time')}</span>
        <span>{clean(service || source || host || '')}</span>
        {sources > 1 && <span>{plural(sources, 'source')}</span>}
        <RelativeTime ms={(entry.log_time_in_range ?? entry.log_time) * 1000} />
      </p>
    </article>
  );
}
