// `pnpm test:packages [NAME...]`: installs what a release contains as its users do, in clean systems, and goes from
// nothing to the first error of a real nginx. It reads release/: run `pnpm release:pack` and the scripts of packages
// first. A test whose programs are missing is skipped.
import { measureTime } from '../time-taken.ts';
import { check, Skip } from './check.ts';
import { testContainer } from './container.ts';
import { testDeb } from './deb.ts';
import { testExecutable } from './executable.ts';
import { testExecutableService } from './executable-service.ts';
import { testNpm } from './npm.ts';
import { testSignature } from './signature.ts';
import { testSystemd } from './systemd.ts';

const TESTS: Readonly<Record<string, () => Promise<void>>> = {
  deb: testDeb,
  npm: testNpm,
  systemd: testSystemd,
  container: testContainer,
  signature: testSignature,
  executable: testExecutable,
  'executable-service': testExecutableService,
};

const given = process.argv.slice(2).filter((word) => word !== '--');
const unknown = given.filter((name) => !(name in TESTS));
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(' ')}. The tests are ${Object.keys(TESTS).join(', ')}.`);
  process.exit(2);
}

for (const [name, run] of Object.entries(TESTS)) {
  if (given.length > 0 && !given.includes(name)) continue;
  const taken = measureTime();
  console.log(`\n${name}`);
  try {
    await run();
  } catch (error) {
    if (error instanceof Skip) console.log(`skipped: ${name}, because ${error.message}`);
    else check(false, `${name}: ${error instanceof Error ? error.stack : error}`);
  }
  console.log(`${name} took ${taken()}`);
}
