// Imported first: the database driver crashes an older Node at once, without a message.
const NODE_MIN = 22;

if (Number.parseInt(process.versions.node, 10) < NODE_MIN) {
  process.stderr.write(
    `quarterdeck: needs Node ${NODE_MIN} or newer, this is ${process.version}; ` +
      'npx -y pnpm@12 exec node, in the folder of the project, is new enough\n',
  );
  process.exit(1);
}
