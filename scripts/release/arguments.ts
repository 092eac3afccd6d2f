// The arguments of the scripts that write files for each processor.
import type { Arch } from './natives.ts';

const ARCHS: readonly Arch[] = ['x64', 'arm64'];

/** Processors to write files for: all of them, or the one of the option `--only ARCH`. */
export function archsOf(only: string | undefined): readonly Arch[] {
  const archs = ARCHS.filter((arch) => only === undefined || arch === only);
  if (archs.length === 0) throw new Error(`--only ${only}: the processors are ${ARCHS.join(' and ')}.`);
  return archs;
}
