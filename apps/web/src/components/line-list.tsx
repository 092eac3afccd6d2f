import './line-list.css';
import type { Line } from '@quarterdeck/sdk';
import { shortTime } from '../words/format.ts';
import { LevelBadge } from './level-badge.tsx';

/** Parts of a line that the list shows. */
export type ListedLine = Pick<Line, 'id' | 'time' | 'level' | 'host' | 'source' | 'log' | 'count'>;

/** Lines, each with its time, its host and its text. The text stays text, whatever it has in it. */
export const LineList = ({ lines }: { readonly lines: readonly ListedLine[] }) => (
  <ol className="lines">
    {lines.map(({ id, time, level, host, source, log, count }) => (
      <li key={id} className="line">
        <p className="line-facts">
          <time dateTime={new Date(time * 1000).toISOString()}>{shortTime(time * 1000)}</time>
          <span>{host || source}</span>
          <LevelBadge level={level} />
          {count > 1 && <span>×{count}</span>}
        </p>
        <pre className="line-text">{log}</pre>
      </li>
    ))}
  </ol>
);
