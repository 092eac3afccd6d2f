// Commands as data. Parsing, help, completion and the man page derive from them.

import type { EndpointInfo, FieldInfo } from '../contract/endpoint-info.ts';
import { ENDPOINTS } from '../generated/endpoints.ts';
import type { Program } from './program.ts';

/** Name of an endpoint: its noun and verb in the contract. */
export type EndpointName = keyof typeof ENDPOINTS;

/** Returns an endpoint of the contract. */
export const endpointOf = (name: EndpointName): EndpointInfo => ENDPOINTS[name];

/** An option of a command. */
export interface Flag extends FieldInfo {
  /** Name of the value: for a field of the contract, its name there. `--level-max` sets `level_max`. */
  readonly name: string;
  readonly short?: string;
  /** Placeholder of the value in the help. */
  readonly placeholder?: string;
  /** Paths of the fields that it names, as in {@link EndpointInfo.data}. */
  readonly fields?: readonly string[];
  /** A flag with a negative form: `--no-online`. */
  readonly negatable?: true;
}

/** Values of options by name. */
export type Values = Readonly<Record<string, unknown>>;

/** A parsed command line. */
export interface Invocation {
  readonly args: readonly string[];
  readonly values: Values;
  readonly program: Program;
}

/** A list of the contract, and the fields that a table of it shows. */
export interface ListInfo {
  readonly endpoint: EndpointName;
  readonly columns: readonly string[];
}

export interface Command {
  /** One sentence without a period. */
  readonly about: string;
  /** Arguments as the help shows them: `<id...>`, `[text]`. */
  readonly args?: string;
  readonly argsAbout?: string;
  readonly flags: readonly Flag[];
  /** Complete command lines without the name of the program. */
  readonly examples?: readonly string[];
  /** Other names. */
  readonly aliases?: readonly string[];
  /** The list that it prints. */
  readonly list?: ListInfo;
  /** Resolves with the exit code; undefined is 0. */
  readonly run: (invocation: Invocation) => Promise<number | undefined>;
}

/** Commands about one noun. */
export interface Noun {
  readonly about: string;
  readonly verbs: Readonly<Record<string, Command>>;
  /** Verb that runs when none is given. */
  readonly fallback?: string;
}

/** Everything after the name of the program: a noun with verbs, or a command by itself. */
export type Entry = Noun | Command;

/** Entries by their names, in the order of the help. */
export type Entries = Readonly<Record<string, Entry>>;

/** Reports whether an entry has verbs. */
export const isNoun = (entry: Entry): entry is Noun => 'verbs' in entry;

/** Option of a name: `level_max` is `--level-max`. */
export const optionName = (name: string): string => `--${name.replaceAll('_', '-')}`;
