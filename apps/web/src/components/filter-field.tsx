// The field of the filter language, with completion of names and values.
import './form.css';
import './filter-field.css';
import {
  type Completion,
  type FilterSource,
  filterProblem,
  suggestFilter,
  withKnownNames,
} from '@quarterdeck/views/filters';
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { useKeys } from '../keys/use-keys.ts';
import { filterText } from '../text/filter.ts';
import { Button } from './button.tsx';

export interface FilterFieldProps {
  readonly label: string;
  /** The filter of the address. */
  readonly value: string;
  readonly onApply: (filter: string) => void;
  /** Names and values that the filter language completes; null for a field of plain text. */
  readonly source: FilterSource | null;
}

/** Completions shown at once. */
const SHOWN = 8;
/** Wait before values are read while somebody types, milliseconds. */
const REST_MS = 150;

/** The field. Tab or Enter takes the marked completion; Enter without one applies the filter. */
export function FilterField({ label, value, onApply, source: given }: FilterFieldProps) {
  const source = useMemo(() => (given === null ? null : withKnownNames(given)), [given]);
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(value);
  const [caret, setCaret] = useState<number | null>(null);
  const [read, setRead] = useState<{ readonly of: string; readonly completions: readonly Completion[] } | null>(null);
  const [marked, setMarked] = useState(-1);
  useEffect(() => setTyped(value), [value]);
  useKeys({ search: () => input.current?.focus() });

  const before = caret === null ? null : typed.slice(0, caret);
  const suggestion = before === null || source === null ? null : suggestFilter(before, source);
  const shown =
    suggestion === null || suggestion.isQuiet === true
      ? []
      : [...(read !== null && read.of === before ? read.completions : suggestion.completions)].slice(0, SHOWN);
  const readMore = suggestion?.isQuiet === true ? undefined : suggestion?.read;

  // `readMore` is new with each render; the text that it is for is not.
  useEffect(() => {
    if (before === null || readMore === undefined) return;
    const controller = new AbortController();
    const timer = setTimeout(() => {
      readMore(controller.signal).then(
        (completions) => setRead({ of: before, completions }),
        () => undefined,
      );
    }, REST_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [before]);

  const found = source === null ? null : filterProblem(typed, source.names);
  // A text that more letters can complete is no mistake yet.
  const problem = found === null || (found.isIncomplete && caret !== null) ? null : found.text;
  const isFilter = found === null;
  const close = (): void => {
    setCaret(null);
    setMarked(-1);
  };
  const take = (completion: Completion | undefined): void => {
    if (completion === undefined || suggestion === null || caret === null) return;
    const isName = completion.text.endsWith(':');
    const next = `${typed.slice(0, suggestion.from)}${completion.text}${isName ? '' : ' '}`;
    setTyped(next + typed.slice(caret).trimStart());
    setCaret(next.length);
    setMarked(-1);
    requestAnimationFrame(() => input.current?.setSelectionRange(next.length, next.length));
  };
  const apply = (): void => {
    if (!isFilter) {
      close();
      return;
    }
    close();
    onApply(typed.trim());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const { key } = event;
    if (key === 'ArrowDown' && shown.length > 0) setMarked((marked + 1) % shown.length);
    else if (key === 'ArrowUp' && shown.length > 0) setMarked((marked <= 0 ? shown.length : marked) - 1);
    else if (
      (key === 'Tab' && !event.shiftKey && shown.length > 0 && before !== '') ||
      (key === 'Enter' && marked >= 0)
    ) {
      take(shown[Math.max(0, marked)]);
    } else if (key === 'Escape') {
      if (shown.length > 0) close();
      else input.current?.blur();
    } else return;
    event.preventDefault();
  };

  return (
    <search>
      <form
        className="filter-field"
        onSubmit={(event) => {
          event.preventDefault();
          apply();
        }}
      >
        <input
          ref={input}
          type="search"
          enterKeyHint="search"
          autoComplete="off"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          maxLength={4_096}
          role="combobox"
          aria-label={label}
          aria-expanded={shown.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={marked >= 0 ? `${id}-${marked}` : undefined}
          aria-invalid={problem !== null}
          aria-describedby={problem === null ? undefined : `${id}-problem`}
          placeholder={source === null ? '' : filterText.placeholder}
          value={typed}
          onChange={({ target }) => {
            setTyped(target.value);
            setCaret(target.selectionStart);
            setMarked(-1);
          }}
          onKeyDown={onKeyDown}
          onBlur={close}
        />
        <Button type="submit" disabled={!isFilter}>
          {filterText.apply}
        </Button>
        <div
          id={`${id}-list`}
          role="listbox"
          aria-label={filterText.completions}
          hidden={shown.length === 0}
          className="completions"
        >
          {shown.map((completion, index) => (
            <div
              key={completion.text}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === marked}
              className="completion"
              // The field keeps its focus.
              onMouseDown={(event) => {
                event.preventDefault();
                take(completion);
              }}
            >
              <span className="mono">{completion.text}</span>
              <span className="muted">{completion.note}</span>
            </div>
          ))}
        </div>
        {problem !== null && (
          <p id={`${id}-problem`} className="form-problem">
            {problem}
          </p>
        )}
      </form>
    </search>
  );
}
