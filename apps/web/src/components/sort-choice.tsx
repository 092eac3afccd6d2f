export interface SortChoiceProps<Sort extends string> {
  readonly label: string;
  /** Order -> its name. */
  readonly sorts: Readonly<Record<Sort, string>>;
  readonly sort: string;
  readonly onChange: (sort: string) => void;
}

/** Chooses the order of a list. */
export const SortChoice = <Sort extends string>({ label, sorts, sort, onChange }: SortChoiceProps<Sort>) => (
  <label className="choice">
    <span className="visually-hidden">{label}</span>
    <select value={sort} onChange={({ target }) => onChange(target.value)}>
      {Object.entries<string>(sorts).map(([one, name]) => (
        <option key={one} value={one}>
          {name}
        </option>
      ))}
    </select>
  </label>
);
