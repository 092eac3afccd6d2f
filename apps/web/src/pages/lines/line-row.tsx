// A line: its text, and on demand its fields, each of which narrows the list.
import type { Line } from '@quarterdeck/sdk';
import { Link } from 'wouter';
import { LevelBadge } from '../../components/badges.tsx';
import { Button } from '../../components/button.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Fact } from '../../components/fact.tsx';
import type { ChangeParams } from '../../data/use-params.ts';
import { linesText } from '../../text/lines.ts';
import { fullTime, shortTime } from '../../words/format.ts';

const words = linesText;

export interface LineRowProps {
  readonly line: Line;
  /** Fields that have a column. */
  readonly columns: readonly string[];
  /** The line that the others are around. */
  readonly isChosen?: boolean;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly onChange: ChangeParams;
  /** Narrows the list by a value. */
  readonly onNarrow: (name: string, value: string) => void;
}

const partOf = ({ fields, host, service, source }: Line, name: string): string | undefined => {
  const own: Readonly<Record<string, string>> = { host, service, source };
  return Object.hasOwn(own, name) ? own[name] : Object.hasOwn(fields, name) ? fields[name] : undefined;
};

export function LineRow({ line, columns, isChosen = false, isOpen, onToggle, onChange, onNarrow }: LineRowProps) {
  const { time, level, host, source, service, log, count } = line;
  return (
    <article className={isChosen ? 'log-line log-line-chosen' : 'log-line'} aria-current={isChosen || undefined}>
      <p className="line-facts">
        <time dateTime={new Date(time * 1000).toISOString()} title={fullTime(time * 1000)}>
          {shortTime(time * 1000)}
        </time>
        <span>{host || source}</span>
        {service !== '' && <span>{service}</span>}
        <LevelBadge level={level} />
        {count > 1 && <span>×{count}</span>}
        {columns.map((name) => {
          const value = partOf(line, name);
          return value === undefined || value === '' ? null : (
            <span key={name}>
              {name} <span className="mono">{value}</span>
            </span>
          );
        })}
        <button type="button" className="line-more" aria-expanded={isOpen} onClick={onToggle}>
          {words.details}
        </button>
      </p>
      <pre className={isOpen ? 'line-text' : 'line-text line-short'}>{log}</pre>
      {isOpen && <Details line={line} onChange={onChange} onNarrow={onNarrow} />}
    </article>
  );
}

function Details({ line, onChange, onNarrow }: Pick<LineRowProps, 'line' | 'onChange' | 'onNarrow'>) {
  const { id, host, service, group, fields, req_id: request } = line;
  const named = Object.entries({ host, service, ...(request === '' ? {} : { req: request }), ...fields });
  return (
    <div className="line-details">
      <div className="buttons">
        <Button onClick={() => onChange({ around: id, live: undefined })}>{words.around}</Button>
        {group > 0 && (
          <Link href={`/e/${group}`} className="button">
            {words.group}
          </Link>
        )}
        <CopyButton value={line.log} />
      </div>
      <dl className="facts">
        {named
          .filter(([, value]) => value !== '')
          .map(([name, value]) => (
            <Fact key={name} name={name}>
              <button
                type="button"
                className="value"
                title={words.onlyThis(name)}
                onClick={() => onNarrow(name, value)}
              >
                {value}
              </button>
            </Fact>
          ))}
      </dl>
    </div>
  );
}
