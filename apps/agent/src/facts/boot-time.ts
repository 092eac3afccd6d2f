import type { Host } from './host.ts';

/** Reads the boot time of the host from the kernel in Unix seconds; 0 when unknown. */
export async function readBootTime({ files }: Host): Promise<number> {
  return Number(/^btime (\d{1,12})$/m.exec(await files.text('/proc/stat'))?.[1] ?? 0);
}
