// Names the keys of commands inside texts. Keys can be rebound, so no text contains a key itself.
import { can, type Subject } from '@quarterdeck/core';
import { type Binding, type CommandName, KEYMAP, keyName, type Rebound } from './keymap.ts';

/** The key of a command as people read it, or its word; undefined where the user cannot run the command. */
export type KeyOf = (command: CommandName) => string | undefined;

/** Whether a user may run a command. */
export const mayRun = ({ access, changes }: Binding, subject: Subject | null, readOnly: boolean): boolean =>
  !(changes === true && readOnly) && (access === undefined || can(subject, access));

/** Names keys as the settings bind them. */
export const createKeyOf =
  (rebound: Rebound, allowed: (binding: Binding) => boolean): KeyOf =>
  (name) => {
    const [scope, command = ''] = name.split('.') as [keyof typeof KEYMAP, string];
    const binding = (KEYMAP[scope] as Readonly<Record<string, Binding>>)[command];
    if (binding === undefined || !allowed(binding)) return undefined;
    const [key] = rebound[name] ?? binding.keys;
    if (key !== undefined) return keyName(key);
    return binding.word === undefined ? undefined : `:${binding.word}`;
  };

/** A sentence such as `Press a to issue one.`; none where there is no key. */
export const pressTo = (key: string | undefined, purpose: string): string[] =>
  key === undefined ? [] : [`Press ${key} to ${purpose}.`];
