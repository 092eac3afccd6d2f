import type { Host } from './host.ts';

/** When the host booted, Unix seconds, as the kernel says it; 0 where it does not. */
export async function readBootTime({ files }: Host): Promise<number> {
  return Number(/^btime (\d{1,12})$/m.exec(await files.text('/proc/stat'))?.[1] ?? 0);
}
