// Readers of stored values that may be damaged. Pure.

/** A column that a list is sorted by. */
export interface SortKey {
  readonly id: string;
  readonly down: boolean;
}

/** The order and the columns that a person chose for a list. */
export interface ColumnChoices {
  readonly sort: readonly SortKey[];
  readonly order: readonly string[];
  readonly hidden: readonly string[];
  /** Optional columns that the user chose. */
  readonly shown: readonly string[];
  /** Widths that the user chose, in columns of the terminal. */
  readonly widths: Readonly<Record<string, number>>;
}

/** Largest width of a column, in columns of the terminal. */
export const WIDTH_MAX = 400;

/** Maximum number of texts in a list. */
export const TEXTS_MAX = 100;
/** Maximum length of a stored line. */
export const LINE_MAX = 500;

/** True for an object with names. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads texts, leaving out everything else. */
export const texts = (value: unknown): string[] =>
  Array.isArray(value)
    ? value.filter((one) => typeof one === 'string' && one.length <= LINE_MAX).slice(-TEXTS_MAX)
    : [];

const readWidths = (value: unknown): ColumnChoices['widths'] =>
  isRecord(value)
    ? Object.fromEntries(
        Object.entries(value).flatMap(([id, width]) =>
          typeof width === 'number' && Number.isInteger(width) && width > 0 && width <= WIDTH_MAX ? [[id, width]] : [],
        ),
      )
    : {};

/** Reads the order and the columns of a list. */
export function readColumns(value: Readonly<Record<string, unknown>>): ColumnChoices {
  const sort = Array.isArray(value['sort']) ? value['sort'] : [];
  return {
    sort: sort.flatMap((key: unknown) =>
      isRecord(key) && typeof key['id'] === 'string' ? [{ id: key['id'], down: key['down'] === true }] : [],
    ),
    order: texts(value['order']),
    hidden: texts(value['hidden']),
    shown: texts(value['shown']),
    widths: readWidths(value['widths']),
  };
}
