import './facets.css';
import { numberText } from '../words/format.ts';

/** A value of a facet. */
export interface FacetValue {
  /** Value as the address has it. */
  readonly key: string;
  readonly text: string;
  readonly count: number;
}

export interface FacetProps {
  readonly title: string;
  readonly values: readonly FacetValue[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** Values shown before the list is unfolded further. */
const SHOWN = 8;

/** The values of one property with their counts; several can be chosen. */
export function Facet({ title, values, chosen, onChange }: FacetProps) {
  if (values.length === 0) return null;
  const option = ({ key, text, count }: FacetValue) => (
    <li key={key}>
      <label className="check facet-value">
        <input
          type="checkbox"
          checked={chosen.includes(key)}
          onChange={({ target }) => onChange(target.checked ? [...chosen, key] : chosen.filter((one) => one !== key))}
        />
        <span>{text}</span>
        <span className="muted">{numberText(count)}</span>
      </label>
    </li>
  );
  const more = values.slice(SHOWN);
  return (
    <fieldset className="facet">
      <legend>{title}</legend>
      <ul>{values.slice(0, SHOWN).map(option)}</ul>
      {more.length > 0 && (
        <details>
          <summary>{`+ ${numberText(more.length)}`}</summary>
          <ul>{more.map(option)}</ul>
        </details>
      )}
    </fieldset>
  );
}
