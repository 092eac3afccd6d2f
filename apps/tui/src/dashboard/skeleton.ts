// The first frame, shown while the dashboard loads.

/** Renders the first frame for a terminal of this size. */
export function skeleton(columns: number, rows: number, server: string, ascii: boolean): string {
  const title = ' Quarterdeck';
  // The address may contain anything; only printable ASCII is shown.
  const where = `  ${server.replaceAll(/[^\x20-\x7e]/g, '?')}`.slice(0, Math.max(0, columns - title.length - 1));
  const wait = ascii ? ' Starting...' : ' Starting…';
  return `\u001B[1m${title}\u001B[m\u001B[2m${where}\u001B[${rows}H${wait.slice(0, columns)}\u001B[m`;
}
