// Reads the UDP socket on a separate thread. While the main thread waits for the disk, the system would soon drop
// datagrams; this thread reads them at once and sends them in batches. It imports only Node, so it runs without a
// build.
import { createSocket } from 'node:dgram';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/** Settings of the thread. */
export interface ReaderSettings {
  readonly type: 'udp4' | 'udp6';
  readonly address: string;
  readonly port: number;
  /** A bound socket that this process has inherited; address and port are not used then. */
  readonly fd?: number | undefined;
  /** Requested size; systems may cap or refuse it. An inherited socket keeps the size that it has. */
  readonly receiveBufferBytes: number;
  /** Maximum bytes in flight to the main thread; further datagrams are dropped and counted. */
  readonly maxWaitingBytes: number;
}

/** Datagrams in `bytes`: datagram i ends at `ends[i]` and comes from `senders[from[i]]`. */
export interface ReaderBatch {
  readonly kind: 'batch';
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly ends: Uint32Array<ArrayBuffer>;
  readonly from: Uint16Array<ArrayBuffer>;
  readonly senders: readonly string[];
  /** Datagrams dropped since the previous batch. */
  readonly dropped: number;
}

/** A message of the thread. */
export type ReaderMessage =
  | { readonly kind: 'listening'; readonly port: number; readonly isIpv6: boolean; readonly receiveBufferBytes: number }
  | { readonly kind: 'failed'; readonly error: Error & { code?: string } }
  | ReaderBatch
  | { readonly kind: 'drained' }
  | { readonly kind: 'closed' };

/** A command to the thread: a number of processed bytes, to read the already received datagrams, or to close. */
export type ReaderCommand = number | 'drain' | 'close';

const BATCH_BYTES = 128 * 1024;
const BATCH_DATAGRAMS = 1_024;
const MAX_DATAGRAM = 65_535;
/** Time for which a single datagram waits for others. */
const GATHER_MS = 5;
const DRAIN_MS = 250;

function read(settings: ReaderSettings, post: (message: ReaderMessage, transfer: ArrayBuffer[]) => void) {
  const socket = createSocket(settings.type);
  const senders = new Map<string, number>();
  let bytes = new Uint8Array(BATCH_BYTES);
  let ends = new Uint32Array(BATCH_DATAGRAMS);
  let from = new Uint16Array(BATCH_DATAGRAMS);
  let length = 0;
  let count = 0;
  let dropped = 0;
  let waitingBytes = 0;
  let datagrams = 0;
  let timer: NodeJS.Timeout | undefined;

  function send(): void {
    clearTimeout(timer);
    timer = undefined;
    if (count === 0 && dropped === 0) return;
    const batch = {
      kind: 'batch' as const,
      bytes: bytes.subarray(0, length),
      ends: ends.subarray(0, count),
      from: from.subarray(0, count),
      senders: [...senders.keys()],
      dropped,
    };
    waitingBytes += length;
    post(batch, [bytes.buffer, ends.buffer, from.buffer]);
    bytes = new Uint8Array(BATCH_BYTES);
    ends = new Uint32Array(BATCH_DATAGRAMS);
    from = new Uint16Array(BATCH_DATAGRAMS);
    length = 0;
    count = 0;
    dropped = 0;
    senders.clear();
  }

  function take(datagram: Buffer, address: string): void {
    datagrams += 1;
    timer ??= setTimeout(send, GATHER_MS);
    if (waitingBytes + length + datagram.length > settings.maxWaitingBytes) {
      dropped += 1;
      return;
    }
    let sender = senders.get(address);
    if (sender === undefined) {
      sender = senders.size;
      senders.set(address, sender);
    }
    bytes.set(datagram, length);
    length += datagram.length;
    ends[count] = length;
    from[count] = sender;
    count += 1;
    if (count === BATCH_DATAGRAMS || length > BATCH_BYTES - MAX_DATAGRAM) send();
  }

  /** Reads the datagrams that the system has already received, before the socket closes. */
  async function drain(): Promise<void> {
    const until = Date.now() + DRAIN_MS;
    for (let seen = -1; seen !== datagrams && Date.now() < until; ) {
      seen = datagrams;
      await nextIteration();
      await nextIteration();
    }
    send();
    post({ kind: 'drained' }, []);
  }

  function close(): void {
    socket.close();
    send();
    post({ kind: 'closed' }, []);
  }

  function enlarge(): void {
    for (let size = settings.receiveBufferBytes; size > 256 * 1024; size /= 2) {
      try {
        socket.setRecvBufferSize(size);
        break;
      } catch {
        // Too large for this system: try half of it.
      }
    }
  }

  socket.on('message', (datagram, { address }) => take(datagram, address));
  socket.on('error', (error) => post({ kind: 'failed', error }, []));
  const { fd, port, address: host } = settings;
  socket.bind(fd === undefined ? { port, address: host, exclusive: true } : { fd, exclusive: true }, () => {
    // The unit of an inherited socket sets its size, which may be above the limit for this process.
    if (fd === undefined) enlarge();
    const { port, family } = socket.address();
    const receiveBufferBytes = socket.getRecvBufferSize();
    post({ kind: 'listening', port, isIpv6: family === 'IPv6', receiveBufferBytes }, []);
  });

  return (command: ReaderCommand) => {
    if (command === 'drain') void drain();
    else if (command === 'close') close();
    else waitingBytes -= command;
  };
}

if (parentPort !== null) {
  const port = parentPort;
  const onCommand = read(workerData as ReaderSettings, (message, transfer) => port.postMessage(message, transfer));
  port.on('message', (command: ReaderCommand) => {
    onCommand(command);
    if (command === 'close') port.unref();
  });
}
