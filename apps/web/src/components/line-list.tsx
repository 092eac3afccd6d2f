import './line-list.css';
import type { Line } from '@quarterdeck/sdk';
import { clean, cleanLines } from '@quarterdeck/views/text';
import { shortTime } from '../words/format.ts';
import { LevelBadge } from './badges.tsx';

/** Lines, each with its time, its host and its text. The text stays text, whatever it has in it. */
export const LineList = ({ lines }: { readonly lines: readonly Line[] }) => (
  <ol className="lines">
    {lines.map(({ id, time, level, host, source, log, count }) => (
      <li key={id} className="line">
        <p className="line-facts">
          <time dateTime={new Date(time * 1000).toISOString()}>{shortTime(time * 1000)}</time>
          <span>{clean(host || source)}</span>
          <LevelBadge level={level} />
          {count > 1 && <span>×{count}</span>}
        </p>
        <pre className="line-text">{cleanLines(log).join('\n')}</pre>
      </li>
    ))}
  </ol>
);
