// Demo: merges and splits of errors.
import type { ErrlogEntry } from '@quarterdeck/sdk';
import type { Fake } from '@quarterdeck/sdk/testing';
import type { Fleet } from './fleet-state.ts';
import { byId } from './rows.ts';

/** An error that was merged, with the ids of its lines. */
interface Merged {
  readonly entry: ErrlogEntry;
  readonly lines: ReadonlySet<string>;
}

export function answerGrouping({ on }: Fake, fleet: Fleet): void {
  const merged: Merged[] = [];
  const move = (lines: ReadonlySet<string>, to: number): void => {
    fleet.lines = fleet.lines.map((line) => (lines.has(line.id) ? { ...line, group: to } : line));
  };
  const put = (entry: ErrlogEntry, gone?: number): void => {
    const others = fleet.errlog.filter(({ id }) => id !== entry.id && id !== gone);
    fleet.errlog = [...others, entry].sort((a, b) => b.id - a.id);
  };
  on('errlog.merge', ({ body: { ids, dry_run: isDry } }) => {
    const [into, ...others] = ids.map((id) => byId(fleet.errlog, { params: { id } })) as [
      ErrlogEntry,
      ...ErrlogEntry[],
    ];
    if (!isDry) {
      for (const entry of others) {
        const lines = new Set(fleet.lines.filter(({ group }) => group === entry.id).map(({ id }) => id));
        merged.push({ entry, lines });
        move(lines, into.id);
        const { count } = byId(fleet.errlog, { params: { id: into.id } });
        put({ ...into, count: count + entry.count }, entry.id);
      }
    }
    return { matched: ids.length, group: into.id };
  });
  on('errlog.split', ({ params, body: { lines, dry_run: isDry } }) => {
    const from = byId(fleet.errlog, { params });
    const known = merged.find((one) => lines.some((id) => one.lines.has(String(id))));
    const chosen = known?.lines ?? new Set(lines.map(String));
    const [line] = fleet.lines.filter(({ id }) => chosen.has(id));
    const newest = Math.max(...fleet.errlog.map(({ id }) => id));
    const entry = known?.entry ?? { ...from, id: newest + 1, count: chosen.size, log: line?.log ?? from.log };
    if (!isDry) {
      put({ ...from, count: Math.max(1, from.count - entry.count) });
      put(entry);
      move(chosen, entry.id);
    }
    return { matched: entry.count, group: from.id, ...(isDry ? {} : { new_group: entry.id }) };
  });
}
