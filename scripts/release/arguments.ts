// The arguments of the scripts that write files for each processor.
import type { Arch } from './natives.ts';

const ARCHS: readonly Arch[] = ['x64', 'arm64'];

/** Processors to write files for: all of them, or the one of `--only ARCH`. */
export function archsOf(args: readonly string[]): readonly Arch[] {
  const [option, value, ...others] = args.filter((word) => word !== '--');
  if (option === undefined) return ARCHS;
  const only = ARCHS.filter((arch) => arch === value);
  if (option === '--only' && only.length > 0 && others.length === 0) return only;
  console.error(`Unknown: ${args.join(' ')}. The only option is --only ${ARCHS.join('|')}.`);
  process.exit(2);
}
