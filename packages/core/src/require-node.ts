// Refuses a Node that is too old. A program imports the file that calls this first: other modules may not even load
// there, and the database driver crashes without a message.

/** The oldest Node that the programs run on: with it come the compile cache and the modules they import. */
const OLDEST = [22, 15] as const;

/** Ends the process with a sentence when the running Node is too old. */
export function requireNode(program: string): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return;
  process.stderr.write(
    `${program}: needs Node ${OLDEST.join('.')} or newer, this is ${process.version}. ` +
      'In a clone of the project, npx -y pnpm@12 start, tui and agent bring one.\n',
  );
  process.exit(2);
}
