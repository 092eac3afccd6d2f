// docs/reference/quarterdeckd.md: the commands of the server's program.
import { COMMANDS } from '../../apps/server/src/cli/commands.ts';
import { EXIT_MEANINGS, PROGRAM, usageOf } from '../../apps/server/src/cli/help.ts';
import { code, page, table } from './markdown.ts';

type Command = (typeof COMMANDS)[number];

const optionRows = ({ name, options = {} }: Command) =>
  Object.entries(options).map(([option, { value, help }]) => [
    code(name),
    code(`--${option}${value === undefined ? '' : ` ${value}`}`),
    help,
  ]);

export const quarterdeckdPage = (): string =>
  page(
    '# quarterdeckd: the command line of the server',
    `\`quarterdeckd\` without arguments starts the server. With \`--begin-anew\` it creates a new installation where the
[database was lost](data-folder.md#lost-database). In a clone the program is \`apps/server/bin/quarterdeckd\`. Commands use the same
[settings](settings.md) as the server.`,
    `On SQLite a live server runs the commands, with its own settings; stop it before \`compact\`. A command reaches it through the control
socket of the [data folder](data-folder.md). On PostgreSQL all commands run beside live servers; \`QUARTERDECK_DATA_DIR\` must hold the
\`secret.key\` of the servers.`,
    table(
      ['command', 'effect'],
      [
        ...COMMANDS.map((command) => [code(usageOf(command)), command.summary]),
        [code(`${PROGRAM} help [COMMAND]`), 'Show the help, or more about one command'],
        [code(`${PROGRAM} --version`), 'Show the version'],
      ],
    ),
    '## Options',
    table(['command', 'option', 'meaning'], COMMANDS.flatMap(optionRows)),
    '## Input and output',
    `Standard output holds only the secret or the answer; remarks go to standard error. No command takes a secret as an argument, because every
user of the host can read arguments. Changes appear in the audit log with the actor \`local\`.`,
    '## Exit codes',
    table(['code', 'meaning'], EXIT_MEANINGS),
  );
