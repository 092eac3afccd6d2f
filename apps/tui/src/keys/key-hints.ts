// Names the keys of commands inside texts. Keys can be rebound, so no text contains a key itself.
import type { Binding } from '@quarterdeck/views/keys';
import { keyName } from '@quarterdeck/views/keys';
import { type CommandName, KEYMAP, type Rebound } from './keymap.ts';

/** Returns the key of a command for display, or its word; undefined if the user cannot run it. */
export type KeyOf = (command: CommandName) => string | undefined;

/** Creates a function that names keys as the settings bind them. */
export const createKeyOf =
  (rebound: Rebound, refusal: (binding: Binding) => string | null): KeyOf =>
  (name) => {
    const [scope, command = ''] = name.split('.') as [keyof typeof KEYMAP, string];
    const binding = (KEYMAP[scope] as Readonly<Record<string, Binding>>)[command];
    if (binding === undefined || refusal(binding) !== null) return undefined;
    const [key] = rebound[name] ?? binding.keys;
    if (key !== undefined) return keyName(key);
    return binding.word === undefined ? undefined : `:${binding.word}`;
  };

/** Returns a sentence such as `Press a to create one.`; none without a key. */
export const pressTo = (key: string | undefined, purpose: string): string[] =>
  key === undefined ? [] : [`Press ${key} to ${purpose}.`];
