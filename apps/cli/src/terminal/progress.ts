// Progress of long work, on a terminal only.

/** Work shorter than this draws nothing, milliseconds. */
const QUIET_MS = 400;
/** Least time between two drawings, milliseconds. */
const REDRAW_MS = 100;
const BAR = 24;

/** Progress of one piece of work. */
export interface Progress {
  readonly add: (count: number) => void;
  /** Removes the drawing. */
  readonly end: () => void;
}

const NO_PROGRESS: Progress = { add: () => undefined, end: () => undefined };

/** Starts to draw progress. The total may be unknown. */
export function startProgress(stream: NodeJS.WriteStream, unit: string, total?: number): Progress {
  if (stream.isTTY !== true) return NO_PROGRESS;
  let count = 0;
  let drawnMs = performance.now() + QUIET_MS - REDRAW_MS;
  let isDrawn = false;
  return {
    add(more) {
      count += more;
      const nowMs = performance.now();
      if (nowMs - drawnMs < REDRAW_MS) return;
      drawnMs = nowMs;
      isDrawn = true;
      stream.write(`\r\u001B[2K${barText(count, total)} ${unit}`);
    },
    end() {
      if (isDrawn) stream.write('\r\u001B[2K');
    },
  };
}

function barText(count: number, total: number | undefined): string {
  if (total === undefined || total === 0) return count.toLocaleString('en');
  const share = Math.min(1, count / total);
  const full = Math.round(share * BAR);
  const bar = `${'#'.repeat(full)}${'.'.repeat(BAR - full)}`;
  return `[${bar}] ${Math.floor(share * 100)} % ${count.toLocaleString('en')} of ${total.toLocaleString('en')}`;
}
