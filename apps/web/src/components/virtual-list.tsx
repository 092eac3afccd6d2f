// A list of any length: only rows near the window are in the page. The page itself scrolls, as phones expect.
import './virtual-list.css';
import { type ReactNode, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { WindowVirtualizer, type WindowVirtualizerHandle } from 'virtua';
import { useKeys } from '../keys/use-keys.ts';

export interface VirtualListProps {
  /** Accessible name. */
  readonly label: string;
  readonly count: number;
  /** The content of a row: a link to what it stands for comes first in it. */
  readonly children: (index: number) => ReactNode;
  /** Called with the rows near the window, the end exclusive, when they change. */
  readonly onRange?: (from: number, to: number) => void;
  /** Called when Enter is pressed on no control of the row. */
  readonly onOpen?: (index: number) => void;
  /** Estimated height of a row, pixels. */
  readonly rowHeight?: number;
}

interface RowProps {
  readonly isSelected: boolean;
  /** True once after a key has selected the row. */
  readonly takeFocus: () => boolean;
  readonly children: ReactNode;
}

function Row({ isSelected, takeFocus, children }: RowProps) {
  const row = useRef<HTMLDivElement>(null);
  const onSelected = useEffectEvent(() => {
    if (takeFocus()) row.current?.querySelector<HTMLElement>('a, button')?.focus({ preventScroll: true });
  });
  useEffect(() => {
    if (isSelected) onSelected();
  }, [isSelected]);
  return (
    <div ref={row} className="row" data-selected={isSelected || undefined}>
      {children}
    </div>
  );
}

/** The list. `j`, `k`, `g g` and `G` select rows, Enter opens them. */
export function VirtualList({ label, count, children, onRange, onOpen, rowHeight }: VirtualListProps) {
  const list = useRef<WindowVirtualizerHandle>(null);
  const [selected, setSelected] = useState(-1);
  const isKeyed = useRef(false);
  const data = useMemo(() => ({ length: count }), [count]);

  const select = (index: number): void => {
    const next = Math.min(count - 1, Math.max(0, index));
    if (next < 0) return;
    isKeyed.current = true;
    setSelected(next);
    list.current?.scrollToIndex(next, { align: 'nearest' });
  };
  useKeys({
    down: () => select(selected + 1),
    up: () => select(selected - 1),
    top: () => select(0),
    bottom: () => select(count - 1),
    open: () => selected >= 0 && selected < count && onOpen?.(selected),
  });

  const report = useEffectEvent(() => {
    const handle = list.current;
    if (handle === null || count === 0) return;
    const from = handle.findItemIndex(handle.scrollOffset);
    onRange?.(from, Math.min(count, handle.findItemIndex(handle.scrollOffset + handle.viewportSize) + 1));
  });
  // A list that becomes longer shows other rows without a scroll.
  useEffect(() => {
    if (count > 0) report();
  }, [count]);

  const takeFocus = (): boolean => {
    const isTaken = isKeyed.current;
    isKeyed.current = false;
    return isTaken;
  };
  return (
    <section aria-label={label} className="virtual-list">
      <WindowVirtualizer
        ref={list}
        data={data}
        as="ul"
        item="li"
        onScroll={() => report()}
        {...(rowHeight === undefined ? {} : { itemSize: rowHeight })}
      >
        {(_, index) => (
          <Row key={index} isSelected={index === selected} takeFocus={takeFocus}>
            {children(index)}
          </Row>
        )}
      </WindowVirtualizer>
    </section>
  );
}
