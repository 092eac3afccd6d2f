// What is shown while the dashboard itself is still loading: the frame that everything will be in.

/** The first picture, for a terminal that was just opened. */
export function skeleton(columns: number, rows: number, server: string): string {
  const title = ' Quarterdeck';
  // An address may come from anywhere; nothing but plain characters of it is shown this early.
  const where = `  ${server.replaceAll(/[^\x20-\x7e]/g, '?')}`.slice(0, Math.max(0, columns - title.length - 1));
  const wait = ' Starting…';
  return `\u001B[1m${title}\u001B[m\u001B[2m${where}\u001B[${rows}H${wait.slice(0, columns)}\u001B[m`;
}
