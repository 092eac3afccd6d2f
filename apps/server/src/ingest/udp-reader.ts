// The main thread's side of the UDP socket, which a thread of its own reads.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ReaderBatch, ReaderMessage, ReaderOrder, ReaderSettings } from './udp-reader.worker.ts';

/** An open UDP socket. */
export interface UdpReader {
  readonly port: number;
  /** What the system really gave, which may be less than asked for. */
  readonly receiveBufferBytes: number;
  /** There is room again for what `mayTake` has refused. */
  resume(): void;
  /** Reads what the system has already received, and hands all of it over, room or not. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

/** What becomes of what arrives. Nothing arrives before the socket's promise has resolved. */
export interface UdpHandlers {
  /** Whether there is room for one more. Otherwise it waits, and the thread drops what comes when too much waits. */
  mayTake(): boolean;
  /** `bytes` is valid only during the call. */
  onDatagram(bytes: Uint8Array, address: string): void;
  /** Datagrams the thread had to drop because the main thread had too many to do. */
  onDropped(count: number): void;
  onError(error: Error): void;
}

/** The thread's file, compiled or not, as this one is. */
const file = new URL(`./udp-reader.worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/** @throws the error of `bind`, with its `code` */
export async function openUdp(settings: ReaderSettings, handlers: () => UdpHandlers): Promise<UdpReader> {
  // Without the environment: there are secrets in it, and the thread needs none of it.
  const worker = new Worker(file, {
    workerData: settings,
    env: {},
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  });
  const order = (what: ReaderOrder) => worker.postMessage(what);
  const [first] = (await once(worker, 'message')) as [ReaderMessage];
  if (first.kind !== 'listening') {
    await worker.terminate();
    throw first.kind === 'failed' ? first.error : new Error('the UDP socket said something before it was open');
  }
  const drained = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const ended = () => {
    drained.resolve();
    closed.resolve();
  };
  const waiting: { batch: ReaderBatch; next: number }[] = [];
  const handOver = (all = false) => {
    for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
      first.next = take(first.batch, first.next, handlers(), all);
      if (first.next < first.batch.ends.length) return;
      waiting.shift();
      order(first.batch.bytes.length);
    }
  };
  worker.on('message', (message: ReaderMessage) => {
    if (message.kind === 'batch') {
      if (message.dropped > 0) handlers().onDropped(message.dropped);
      waiting.push({ batch: message, next: 0 });
      handOver();
    } else if (message.kind === 'failed') handlers().onError(message.error);
    else if (message.kind === 'drained') drained.resolve();
    else if (message.kind === 'closed') closed.resolve();
  });
  worker.on('error', (error) => {
    handlers().onError(error as Error);
    ended();
  });
  worker.on('exit', ended);
  return {
    port: first.port,
    receiveBufferBytes: first.receiveBufferBytes,
    resume: () => handOver(),
    async drain() {
      order('drain');
      await drained.promise;
      handOver(true);
    },
    async close() {
      order('close');
      await closed.promise;
      handOver(true);
      await worker.terminate();
    },
  };
}

/** Hands over datagrams from `next` on; returns the first one that there was no room for. */
function take({ bytes, ends, from, senders }: ReaderBatch, next: number, to: UdpHandlers, all: boolean): number {
  for (let i = next; i < ends.length; i += 1) {
    if (!all && !to.mayTake()) return i;
    to.onDatagram(bytes.subarray(i === 0 ? 0 : ends[i - 1], ends[i]), senders[from[i] ?? 0] ?? '');
  }
  return ends.length;
}
