// Reads the UDP socket on a thread of its own. While the main thread waits for the disk, the system would soon throw
// datagrams away; here they are taken at once and handed over in batches. Imports nothing but Node: it runs as it is.
import { createSocket } from 'node:dgram';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/** What the thread is started with. */
export interface ReaderSettings {
  readonly type: 'udp4' | 'udp6';
  readonly address: string;
  readonly port: number;
  /** Asked for; systems cap the size or refuse it, and either is fine. */
  readonly receiveBufferBytes: number;
  /** Bytes that may be on their way to the main thread; beyond, datagrams are dropped and counted. */
  readonly maxWaitingBytes: number;
}

/** Datagrams one after the other in `bytes`, each up to its place in `ends`, from `senders[from[i]]`. */
export interface ReaderBatch {
  readonly kind: 'batch';
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly ends: Uint32Array<ArrayBuffer>;
  readonly from: Uint16Array<ArrayBuffer>;
  readonly senders: readonly string[];
  /** Dropped since the batch before. */
  readonly dropped: number;
}

/** What the thread says. */
export type ReaderMessage =
  | { readonly kind: 'listening'; readonly port: number; readonly receiveBufferBytes: number }
  | { readonly kind: 'failed'; readonly error: Error & { code?: string } }
  | ReaderBatch
  | { readonly kind: 'drained' }
  | { readonly kind: 'closed' };

/** What the thread is told: so many bytes are done with, to read what the system has already received, to close. */
export type ReaderOrder = number | 'drain' | 'close';

const BATCH_BYTES = 128 * 1024;
const BATCH_DATAGRAMS = 1_024;
const MAX_DATAGRAM = 65_535;
/** A lone datagram waits so long for others. */
const GATHER_MS = 5;
const DRAIN_MS = 250;

function read(settings: ReaderSettings, tell: (message: ReaderMessage, transfer: ArrayBuffer[]) => void) {
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
    tell(batch, [bytes.buffer, ends.buffer, from.buffer]);
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

  /** What the system has already taken from the network for us is read before the socket goes. */
  async function drain(): Promise<void> {
    const until = Date.now() + DRAIN_MS;
    for (let seen = -1; seen !== datagrams && Date.now() < until; ) {
      seen = datagrams;
      await nextTurn();
      await nextTurn();
    }
    send();
    tell({ kind: 'drained' }, []);
  }

  function close(): void {
    socket.close();
    send();
    tell({ kind: 'closed' }, []);
  }

  socket.on('message', (datagram, { address }) => take(datagram, address));
  socket.on('error', (error) => tell({ kind: 'failed', error }, []));
  socket.bind({ port: settings.port, address: settings.address, exclusive: true }, () => {
    for (let size = settings.receiveBufferBytes; size > 256 * 1024; size /= 2) {
      try {
        socket.setRecvBufferSize(size);
        break;
      } catch {
        // Too large for this system: half of it, then.
      }
    }
    tell({ kind: 'listening', port: socket.address().port, receiveBufferBytes: socket.getRecvBufferSize() }, []);
  });

  return (order: ReaderOrder) => {
    if (order === 'drain') void drain();
    else if (order === 'close') close();
    else waitingBytes -= order;
  };
}

if (parentPort !== null) {
  const port = parentPort;
  const obey = read(workerData as ReaderSettings, (message, transfer) => port.postMessage(message, transfer));
  port.on('message', (order: ReaderOrder) => {
    obey(order);
    if (order === 'close') port.unref();
  });
}
