// The main thread's side of the UDP socket, which a thread of its own reads.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ReaderBatch, ReaderMessage, ReaderOrder, ReaderSettings } from './udp-reader.worker.ts';

/** An open UDP socket. */
export interface UdpReader {
  readonly port: number;
  /** What the system really gave, which may be less than asked for. */
  readonly receiveBufferBytes: number;
  /** Reads what the system has already received, and hands it over. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

/** What becomes of what arrives. Nothing arrives before the socket's promise has resolved. */
export interface UdpHandlers {
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
  worker.on('message', (message: ReaderMessage) => {
    if (message.kind === 'batch') {
      handOver(message, handlers());
      order(message.bytes.length);
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
    async drain() {
      order('drain');
      await drained.promise;
    },
    async close() {
      order('close');
      await closed.promise;
      await worker.terminate();
    },
  };
}

function handOver({ bytes, ends, from, senders, dropped }: ReaderBatch, { onDatagram, onDropped }: UdpHandlers): void {
  let start = 0;
  for (let i = 0; i < ends.length; i += 1) {
    const end = ends[i] ?? start;
    onDatagram(bytes.subarray(start, end), senders[from[i] ?? 0] ?? '');
    start = end;
  }
  if (dropped > 0) onDropped(dropped);
}
