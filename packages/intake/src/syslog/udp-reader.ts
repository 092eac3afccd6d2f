// The main thread's side of the UDP socket. A separate thread reads the socket.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ReaderBatch, ReaderCommand, ReaderMessage, ReaderSettings } from './udp-reader.worker.ts';

/** An open UDP socket. */
export interface UdpReader {
  readonly port: number;
  readonly isIpv6: boolean;
  /** Actual size, which may be smaller than the requested one. */
  readonly receiveBufferBytes: number;
  /** Delivers waiting datagrams, after `hasRoom` has returned false. */
  resume(): void;
  /** Reads the datagrams that the system has already received, and delivers all of them, with or without room. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

/** Callbacks of the socket. None is called before the promise of the socket has resolved. */
export interface UdpHandlers {
  /** True if one more datagram fits. Otherwise it waits, and the thread drops datagrams while too many wait. */
  hasRoom(): boolean;
  /** `bytes` is valid only during the call. */
  onDatagram(bytes: Uint8Array, address: string): void;
  /** Reports datagrams that the thread dropped because too many waited for the main thread. */
  onDropped(count: number): void;
  onError(error: Error): void;
}

/** The file of the thread, compiled if this file is. */
const file = new URL(`./udp-reader.worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/** @throws the error of `bind`, with its `code` */
export async function openUdp(settings: ReaderSettings, handlers: () => UdpHandlers): Promise<UdpReader> {
  // No environment: it holds secrets that the thread does not need.
  const worker = new Worker(file, {
    workerData: settings,
    env: {},
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  });
  const send = (command: ReaderCommand) => worker.postMessage(command);
  const [first] = (await once(worker, 'message')) as [ReaderMessage];
  if (first.kind !== 'listening') {
    await worker.terminate();
    throw first.kind === 'failed' ? first.error : new Error('the UDP socket sent a message before it was open');
  }
  const drained = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const onEnd = () => {
    drained.resolve();
    closed.resolve();
  };
  const waiting: { batch: ReaderBatch; next: number }[] = [];
  const deliver = (all = false) => {
    for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
      first.next = deliverBatch(first.batch, first.next, handlers(), all);
      if (first.next < first.batch.ends.length) return;
      waiting.shift();
      send(first.batch.bytes.length);
    }
  };
  worker.on('message', (message: ReaderMessage) => {
    if (message.kind === 'batch') {
      if (message.dropped > 0) handlers().onDropped(message.dropped);
      waiting.push({ batch: message, next: 0 });
      deliver();
    } else if (message.kind === 'failed') handlers().onError(message.error);
    else if (message.kind === 'drained') drained.resolve();
    else if (message.kind === 'closed') closed.resolve();
  });
  worker.on('error', (error) => {
    handlers().onError(error as Error);
    onEnd();
  });
  worker.on('exit', onEnd);
  return {
    port: first.port,
    isIpv6: first.isIpv6,
    receiveBufferBytes: first.receiveBufferBytes,
    resume: () => deliver(),
    async drain() {
      send('drain');
      await drained.promise;
      deliver(true);
    },
    async close() {
      send('close');
      await closed.promise;
      deliver(true);
      await worker.terminate();
    },
  };
}

/** Delivers datagrams from `next` on; returns the index of the first one without room. */
function deliverBatch(
  { bytes, ends, from, senders }: ReaderBatch,
  next: number,
  to: UdpHandlers,
  all: boolean,
): number {
  for (let i = next; i < ends.length; i += 1) {
    if (!all && !to.hasRoom()) return i;
    to.onDatagram(bytes.subarray(i === 0 ? 0 : ends[i - 1], ends[i]), senders[from[i] ?? 0] ?? '');
  }
  return ends.length;
}
