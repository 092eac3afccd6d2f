// Palette, help and command line: the commands that can be run now, made from the live keymap.

import { keyName } from '@quarterdeck/views/keys';
import type { Choice } from '@quarterdeck/views/questions';
import type { Present } from '@quarterdeck/views/times';
import type { Target } from '../commands/navigation.ts';
import { complete, parseCommand, SCREEN_OF } from '../commands/parse.ts';
import { timeNote, timeOptions } from '../commands/time-arguments.ts';
import type { Dialog, PromptDialog } from '../context/dialog.ts';
import type { Bound, Unavailable } from '../keys/keyboard.ts';
import { PLACES, type Place } from '../keys/keymap.ts';

/** The actions behind palette, help and command line. */
export interface CommandActions {
  readonly bound: readonly Bound[];
  /** Commands of the screen that cannot run now. */
  readonly unavailable: readonly Unavailable[];
  /** Runs a command with the text typed behind it. */
  readonly run: (bound: Bound, argument?: string) => void;
  readonly go: (target: Target) => void;
  readonly setTheme: (name: string) => string | null;
  readonly themes: readonly string[];
  readonly useProfile: (name: string) => string | null;
  readonly profiles: readonly string[];
  readonly say: (text: string) => void;
  /** The present, for the meaning of typed times. */
  readonly present: () => Present;
}

const keysOf = ({ binding }: Bound): string => binding.keys.map(keyName).join('  ');

/** The usual commands of a screen, by name; those of other screens are the first ones with a hint. */
const USUAL: Partial<Record<Place, readonly string[]>> = {
  overview: ['down', 'open', 'next', 'timeRange', 'goErrlog'],
  errlog: ['create', 'open', 'lines', 'filter', 'changes', 'resolve', 'mute'],
  lines: ['create', 'filter', 'around', 'goError', 'frequency', 'follow'],
  agents: ['open', 'filter', 'goEnrollment', 'compare', 'logs', 'facets'],
  alerts: ['open', 'acknowledge', 'assign', 'mute', 'openOnly', 'goAlertRules', 'goWebhooks'],
  sources: ['open', 'filter', 'errors', 'agents', 'goErrlog'],
  changes: ['open', 'filter', 'errors', 'agents', 'goErrlog'],
};
const USUAL_MAX = 5;

/** The commands that one runs most on the screen below. */
function usualOf(bound: readonly Bound[]): readonly Bound[] {
  const here = bound.find(({ place }) => place !== 'app' && place !== 'root')?.place ?? 'app';
  const named = (USUAL[here] ?? []).flatMap((name) => bound.find(({ command }) => command === name) ?? []);
  const hinted = bound.filter(({ place, binding }) => place === here && binding.hint !== undefined);
  return [...new Set([...named, ...hinted])].slice(0, USUAL_MAX);
}

/** Every key with its help, grouped by place, after the usual ones. */
export function helpChoices(bound: readonly Bound[]): Choice[] {
  const usual = usualOf(bound);
  const choices = bound.map(
    (one, index): Choice => ({
      id: String(index),
      lead: keysOf(one),
      text: one.binding.help,
      group: PLACES[one.place].title,
      ...(one.binding.word === undefined ? {} : { note: `:${one.binding.word}`, word: one.binding.word }),
    }),
  );
  const first = usual.map((one): Choice => {
    const index = bound.indexOf(one);
    return { id: String(index), lead: keysOf(one), text: one.binding.help, group: 'First on this screen' };
  });
  return [...first, ...choices];
}

/** The entries of the palette: commands, profiles, themes. */
export function paletteChoices({ bound, profiles, themes }: CommandActions): Choice[] {
  const commands = bound.flatMap((one, index): Choice[] =>
    one.binding.plain === true
      ? []
      : [
          {
            id: `run ${index}`,
            text: one.binding.help,
            group: PLACES[one.place].title,
            note: keysOf(one),
            ...(one.binding.word === undefined ? {} : { word: one.binding.word }),
          },
        ],
  );
  return [
    ...commands,
    ...profiles.map((name) => ({
      id: `use ${name}`,
      text: `Connect to ${name}`,
      group: 'Profiles',
      note: `:use ${name}`,
    })),
    ...themes.map((name) => ({
      id: `theme ${name}`,
      text: `Theme ${name}`,
      group: 'Settings',
      note: `:theme ${name}`,
    })),
  ];
}

/** Runs a line of the command line. */
export function execute(line: string, actions: CommandActions): void {
  const typed = parseCommand(line);
  if (typed === null) return;
  const { word, args, text, rest } = typed;
  if (word === 'theme' || word === 'use') {
    const problem = (word === 'theme' ? actions.setTheme : actions.useProfile)(rest[0] ?? '');
    if (problem !== null) actions.say(problem);
    return;
  }
  if (word === 'at' && rest.length > 0) {
    actions.go({ screen: 'agents', args: { at: rest.join(' ') } });
    return;
  }
  const screen = SCREEN_OF.get(word);
  const isOffered = (name: string): Bound | undefined => actions.bound.find(({ binding }) => binding.word === name);
  const found = isOffered(word === 'help' && rest[0] === 'filter' ? 'language' : word);
  const behind = line.trim().replace(/^:?\S+\s*/, '');
  if (screen === 'lines' && found !== undefined && behind !== '') {
    // All of it is a filter, in which `/x/` is an expression and `a:>=5` no argument.
    actions.go({ screen, text: behind.replace(/^\/(?=[^/]*$)/, '') });
    return;
  }
  if (screen !== undefined && found !== undefined && (text !== undefined || Object.keys(args).length > 0)) {
    actions.go({ screen, args, ...(text === undefined ? {} : { text }) });
    return;
  }
  if (word === '' && text !== undefined) {
    actions.say('Name a screen before the text: :logs /text');
    return;
  }
  if (found !== undefined) {
    const isAsked = word === 'help' && found.binding.word === 'language';
    if (screen !== undefined && behind !== '') actions.say(`Type a text behind a slash: :${word} /${behind}`);
    else if (behind !== '' && found.binding.takes === undefined && !isAsked) actions.say(`:${word} takes no argument.`);
    else actions.run(found, behind || undefined);
    return;
  }
  const refused = actions.unavailable.find(({ binding }) => binding.word === word);
  actions.say(refused?.reason ?? `Unknown command on this screen: ${word.slice(0, 40)}; :help lists them.`);
}

export function paletteDialog(actions: CommandActions): Dialog {
  return {
    kind: 'choose',
    title: 'Find a command',
    choices: paletteChoices(actions),
    onTake({ id }) {
      const [what = '', name = ''] = id.split(' ');
      const bound = actions.bound[Number(name)];
      if (what !== 'run') execute(id, actions);
      else if (bound !== undefined) actions.run(bound);
    },
  };
}

/** The help: every key of the screen below it. */
export function helpDialog(actions: CommandActions): Dialog {
  return {
    kind: 'choose',
    title: 'Keys · type to search',
    choices: helpChoices(actions.bound),
    onTake({ id }) {
      const bound = actions.bound[Number(id)];
      if (bound !== undefined) actions.run(bound);
    },
  };
}

/** The command line. */
export function commandDialog(
  actions: CommandActions,
  history: readonly string[],
  onRun: (line: string) => void,
): PromptDialog {
  const words = [
    ...new Set([...actions.bound.flatMap(({ binding }) => binding.word ?? []), 'at', 'theme', 'use']),
  ].sort();
  const candidates = (text: string): { text: string; words: readonly string[] } => {
    const [word = '', ...rest] = text.split(' ');
    const last = rest.at(-1);
    const options = word === 'theme' ? actions.themes : word === 'use' ? actions.profiles : timeOptions(word);
    if (last === undefined) return complete(word, words);
    const inner = complete(last, options);
    return { text: [word, ...rest.slice(0, -1), inner.text].join(' '), words: inner.words };
  };
  return {
    kind: 'prompt',
    label: ':',
    initial: '',
    selects: true,
    history,
    complete: (text) => {
      const { text: whole, words: fitting } = candidates(text);
      return fitting.length === 1 ? `${whole} ` : whole;
    },
    note: (text) => {
      const [word = '', ...rest] = text.trimStart().split(' ');
      const meaning = rest.length === 0 ? undefined : timeNote(word, rest.join(' '), actions.present());
      if (meaning !== undefined) return meaning;
      const { words: fitting } = candidates(text);
      return text === '' ? 'logs level=4 /text' : fitting.slice(0, 6).join(' ');
    },
    onSubmit(line) {
      onRun(line);
      execute(line, actions);
    },
  };
}
