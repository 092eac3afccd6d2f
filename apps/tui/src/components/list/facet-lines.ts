// The values one can choose by, as rows of the screen. Pure.
import { clean } from '../../text/clean.ts';
import { count, grouped } from '../../text/format.ts';
import { fitLine, type Line } from '../../text/lines.ts';
import { fit } from '../../text/width.ts';
import { on } from '../../theme.ts';
import type { FacetGroup } from './list-filter.ts';

/** Values of one facet that are shown; a long tail is better found with a filter. */
const VALUES_MAX = 12;

const EXACT_BELOW = 1_000_000;

/** A row of the facets: a heading, a value, nothing. */
export type FacetRow =
  | { readonly kind: 'title'; readonly text: string }
  | {
      readonly kind: 'value';
      readonly group: string;
      readonly value: string;
      readonly key?: string;
      readonly count: number;
      readonly chosen: boolean;
    }
  | { readonly kind: 'more'; readonly count: number }
  | { readonly kind: 'gap' };

/** All rows, whatever is in view. */
export function facetRows(groups: readonly FacetGroup[]): FacetRow[] {
  return groups.flatMap(({ id, title, values }, index): FacetRow[] => {
    const shown = values.filter(({ chosen }, at) => chosen || at < VALUES_MAX);
    return [
      ...(index === 0 ? [] : [{ kind: 'gap' as const }]),
      { kind: 'title', text: title },
      ...shown.map((value) => ({ kind: 'value' as const, group: id, ...value })),
      ...(values.length > shown.length ? [{ kind: 'more' as const, count: values.length - shown.length }] : []),
    ];
  });
}

/** The first of so many rows that is in view, so that the one at `at` is. */
export const facetFrom = (total: number, at: number, height: number): number =>
  Math.max(0, Math.min(at - Math.floor(height / 2), total - height));

/** The rows in view, the one at `at` among them. */
export function facetLines(
  groups: readonly FacetGroup[],
  { at, focused, width, height }: { at: number; focused: boolean; width: number; height: number },
): Line[] {
  const rows = facetRows(groups);
  const from = facetFrom(rows.length, at, height);
  const inner = width - 2;
  return Array.from({ length: height }, (_, index): Line => {
    const row = rows[from + index] ?? { kind: 'gap' as const };
    const ground = focused && from + index === at ? ('selected' as const) : undefined;
    const edge = { text: ' │', tone: 'faint' as const };
    const line = (runs: Line): Line => [...fitLine(runs, inner, on('plain', ground)), edge];
    if (row.kind === 'gap') return line([{ text: ' ', tone: on('plain', ground) }]);
    if (row.kind === 'title') return line([{ text: ` ${row.text}`, tone: on('strong', ground) }]);
    if (row.kind === 'more') return line([{ text: `   ${row.count} more`, tone: on('faint', ground) }]);
    // To the last one, as long as there is room for it.
    const number = row.count < EXACT_BELOW ? grouped(row.count) : count(row.count);
    return line([
      { text: row.chosen ? ' • ' : '   ', tone: on('accent', ground) },
      {
        text: `${fit(clean(row.value) || '(none)', Math.max(1, inner - 4 - number.length))} `,
        tone: on(row.chosen ? 'strong' : row.count === 0 ? 'faint' : 'plain', ground),
      },
      { text: number, tone: on('muted', ground) },
    ]);
  });
}
