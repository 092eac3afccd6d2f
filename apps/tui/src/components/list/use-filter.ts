// The filter of a list, read from its text. Expressions are loaded when a filter first has one.
import { areExpressionsLoaded, type FieldNames, hasExpression, loadExpressions } from '@quarterdeck/core/filter';
import { isFilter, type ListFilter, readFilter } from '@quarterdeck/views/filters';
import { useEffect, useMemo, useState } from 'react';
import { useDashboard } from '../../context/dashboard.ts';
import type { Column } from './column.ts';
import { columnShape, namesOfShape } from './row-test.ts';

interface FilterHandle {
  /** Null if everything matches, and until expressions are loaded. */
  readonly filter: ListFilter | null;
  /** Null for a literal text. */
  readonly names: FieldNames | null;
  /** Unix seconds from which ages in the filter count back. */
  readonly nowS: number;
}

/** Reads a filter over `columns`, or over the names that the server knows. The same objects until it changes. */
export function useFilter<T>(
  text: string,
  columns: readonly Column<T>[],
  { isServed, names: served }: { readonly isServed: boolean; readonly names: FieldNames | undefined },
): FilterHandle {
  const { now } = useDashboard();
  const [isLoaded, setLoaded] = useState(areExpressionsLoaded);
  const shape = columnShape(columns);
  const { needsExpressions, ...handle } = useMemo(() => {
    const nowS = Math.floor(now() / 1000);
    const names = served ?? (isServed ? null : namesOfShape(shape, nowS));
    const read = readFilter(text, names);
    const filter = isFilter(read) ? read : null;
    const needsExpressions = filter !== null && hasExpression(filter.filter);
    return { filter: needsExpressions && !isLoaded ? null : filter, names, nowS, needsExpressions };
  }, [text, shape, isServed, served, isLoaded, now]);
  useEffect(() => {
    if (needsExpressions && !isLoaded) void loadExpressions().then(() => setLoaded(true));
  }, [needsExpressions, isLoaded]);
  return handle;
}
