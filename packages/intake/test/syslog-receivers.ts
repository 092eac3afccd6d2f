// Receivers of syslog, and connections to them, which are closed after each test of a file.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, vi } from 'vitest';
import { type OnLines, SELF } from '../src/syslog/line-queue.ts';
import type { SyslogLine } from '../src/syslog/syslog-line.ts';
import { type SyslogReceiverOptions, startSyslogReceiver } from '../src/syslog/syslog-receiver.ts';

export const HOST = '127.0.0.1';

/** Waits for a condition, on a slow machine too. */
export const until = (check: () => unknown) => vi.waitFor(check, 50_000);

/** A line with its sender. */
type ReceivedLine = SyslogLine & { readonly address: string; readonly sender: string };

export function useReceivers() {
  const closers: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  return {
    /** Starts a receiver that stores its lines in `lines` once `gate` is open. */
    async receive(options: Partial<SyslogReceiverOptions> = {}, gate: Promise<void> = Promise.resolve()) {
      const lines: ReceivedLine[] = [];
      const reports: SyslogLine[] = [];
      const onLines: OnLines = async (batch, { address, hostname }) => {
        await gate;
        if (address === SELF.address && hostname === SELF.hostname) reports.push(...batch);
        else lines.push(...batch.map((line) => ({ ...line, address, sender: hostname })));
      };
      const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
      const fixed = { host: HOST, port: 0, onLines, log, now: () => 1_795_173_996 };
      const receiver = await startSyslogReceiver({ ...fixed, ...options });
      closers.push(() => receiver.close());
      return { receiver, lines, log, reports, texts: () => lines.map((line) => line.log) };
    },
    /** Connects to a port, from another address of this host if given. */
    async dial(port: number | undefined, localAddress = HOST): Promise<Socket> {
      const socket = connect({ port: port ?? 0, host: HOST, localAddress });
      // A closing receiver may reset a connection that still sends.
      socket.on('error', () => socket.destroy());
      closers.push(() => void socket.destroy());
      await once(socket, 'connect');
      return socket;
    },
    /** Runs something after the test. */
    onClose: (close: () => void) => void closers.push(close),
  };
}

/** Sends datagrams one after the other. */
export async function sendUdp(port: number, ...texts: string[]): Promise<void> {
  const socket = createSocket('udp4');
  for (const text of texts) await new Promise<void>((resolve) => socket.send(text, port, HOST, () => resolve()));
  socket.close();
}
