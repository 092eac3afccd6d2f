// Commands about the files that describe a server.
import type { Command, Flag } from '../command/command.ts';
import { CHANGE_FLAGS, SERVER_FLAGS } from '../command/flags.ts';

const FOLDER: Flag = {
  name: 'folder',
  short: 'f',
  type: 'text',
  placeholder: 'dir',
  about: 'Folder of the files; default: that of the variable QUARTERDECK_APPLY',
};

export const apply: Command = {
  about: 'Make rules of alerts, channels, trust rules, roles of users and labels of enrollment tokens as files say',
  flags: [
    FOLDER,
    { name: 'prune', type: 'flag', about: 'Delete the entries that apply has created and that no file has any more' },
    { name: 'secrets', type: 'flag', about: 'Send every secret, also where nothing else of its entry changes' },
    {
      name: 'state',
      type: 'text',
      placeholder: 'file',
      about: 'File that remembers what apply has created; default .quarterdeck-applied.toml in the folder',
    },
    ...CHANGE_FLAGS,
    ...SERVER_FLAGS,
  ],
  examples: ['apply -f alerts/ --dry-run', 'apply -f alerts/ --prune --yes'],
  run: async (invocation) => (await import('../as-code/apply.ts')).runApply(invocation),
};

export const exportFiles: Command = {
  about: 'Write rules of alerts, channels, trust rules, roles of users and labels of enrollment tokens for apply',
  flags: [FOLDER, { name: 'force', type: 'flag', about: 'Overwrite files that exist' }, ...SERVER_FLAGS],
  examples: ['export -f alerts/'],
  run: async (invocation) => (await import('../as-code/export.ts')).runExport(invocation),
};
