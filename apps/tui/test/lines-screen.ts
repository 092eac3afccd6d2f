// The screen of lines, over a fake server with the lines of one error.
import type { Line } from '@quarterdeck/core';
import { createBuilders } from '@quarterdeck/sdk/testing';
import { entry, FakeServer } from './fake-server.ts';
import { openTui, type Tui } from './render-tui.tsx';

const build = createBuilders();
/** Time of line 0, Unix seconds: an hour before the server was made. */
export let startS = 0;
const CLIENTS = ['10.9.8.7', '10.9.8.7', '10.9.8.7', '10.9.8.8', '10.9.8.9'];

/** Creates line number n of one error; its client changes. */
export function line(n: number, over: Partial<Line> = {}): Line {
  return build.line({
    id: String(n),
    time: startS + n,
    level: 4,
    log: `upstream timed out, number ${n}`,
    fields: { client: CLIENTS[n % CLIENTS.length] ?? '', server: 'shop' },
    group: 1,
    src: 1,
    source: 'web-1',
    host: 'web-1',
    service: 'nginx',
    app_id: 0,
    req_id: '',
    count: 1,
    ...over,
  });
}

/** A server with one error, whose lines these are. */
export function withLines(count: number): FakeServer {
  startS = Math.floor(Date.now() / 1000) - 3_600;
  const server = new FakeServer();
  server.errlog = [entry(1, { log: 'upstream timed out, number 1', count })];
  server.lines = Array.from({ length: count }, (_, index) => line(count - index));
  return server;
}

/** Opens the screen of lines. */
export async function openLines(server: FakeServer, columns = 80): Promise<Tui> {
  const tui = await openTui('● live', { server, columns });
  await tui.press('8').until(/8 Lines.* of /);
  return tui;
}
