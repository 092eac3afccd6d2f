// Kills this process before its n-th change of the file system, so that a test can stop a program between any two.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** Functions of `fs/promises` that change something. */
const WRITES = ['open', 'rename', 'rm', 'utimes', 'mkdir', 'writeFile'] as const;
/** The same of a file handle. */
const OF_HANDLE = ['writeFile', 'write', 'sync', 'utimes', 'close'] as const;

// biome-ignore lint/suspicious/noExplicitAny: the functions have many signatures.
type AnyFunction = (...args: any[]) => any;

/** Kills this process before the n-th of these calls. */
export function killBeforeWrite(n: number): void {
  let calls = 0;
  const counted = (call: AnyFunction): AnyFunction =>
    function (this: unknown, ...args) {
      calls += 1;
      if (calls === n) process.kill(process.pid, 'SIGKILL');
      return call.apply(this, args);
    };
  const promises = fs.promises as unknown as Record<string, AnyFunction>;
  for (const name of WRITES) {
    const call = promises[name] as AnyFunction;
    if (name !== 'open') promises[name] = counted(call);
    else {
      promises['open'] = async (path: string, flags: string, ...rest) => {
        if (flags === 'r' || flags === undefined || typeof flags === 'number') return call(path, flags, ...rest);
        const handle = await counted(call)(path, flags, ...rest);
        for (const own of OF_HANDLE) handle[own] = counted(handle[own].bind(handle));
        return handle;
      };
    }
  }
  syncBuiltinESMExports();
}
