// Measures the heap of another process after a collection, through its inspector.
import type { Dashboard } from './dashboard.ts';

/** Options of Node that enable the inspector. */
export const INSPECTABLE = ['--inspect=127.0.0.1:0', '--inspect-publish-uid=stderr'];

const ADDRESS = /ws:\/\/127\.0\.0\.1:\d+\/[\w-]+/;

/** Inspector of one process. */
export interface Inspector {
  /** Used heap after a collection in megabytes. */
  readonly heapMb: () => Promise<number>;
  readonly close: () => void;
}

/** Connects to a dashboard that was started {@link INSPECTABLE}. */
export async function inspect(dashboard: Dashboard): Promise<Inspector> {
  // The process prints the address first; the pty may deliver it in pieces.
  while (!ADDRESS.test(dashboard.output())) await new Promise((resolve) => setTimeout(resolve, 5));
  const socket = new WebSocket(ADDRESS.exec(dashboard.output())?.[0] ?? '');
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  let id = 0;
  const ask = async (method: string): Promise<{ usedSize?: number }> => {
    id += 1;
    const mine = id;
    const answer = new Promise<{ usedSize?: number }>((resolve) => {
      const listen = ({ data }: { data: unknown }): void => {
        const message = JSON.parse(String(data)) as { id?: number; result?: { usedSize?: number } };
        if (message.id !== mine) return;
        socket.removeEventListener('message', listen);
        resolve(message.result ?? {});
      };
      socket.addEventListener('message', listen);
    });
    socket.send(JSON.stringify({ id: mine, method }));
    return answer;
  };
  return {
    async heapMb() {
      await ask('HeapProfiler.collectGarbage');
      await ask('HeapProfiler.collectGarbage');
      return ((await ask('Runtime.getHeapUsage')).usedSize ?? 0) / 1_048_576;
    },
    close: () => socket.close(),
  };
}
