// Prints the effects of a change from outside, at once or when they are settled.

import type { ChangeEffects } from '@quarterdeck/sdk';
import { connect } from '../account/connection.ts';
import { endpointOf, type Invocation } from '../command/command.ts';
import { given } from '../command/flags.ts';
import { printWithLists } from '../output/print.ts';
import { exitCode } from '../process/exit-codes.ts';

/** Errors that a verdict is about, in a table below it. */
const LISTS = {
  errors: ['id', 'verdict', 'level', 'before', 'after', 'others_before', 'others_after', 'service', 'log'],
};
/** Longest wait of one request, seconds: proxies end those that take much longer. */
const WAIT_MAX_S = 50;
/** Pause after a request that did not wait, because too many others do. */
const PAUSE_MS = 2_000;
/** Time after a change in which nearly all that is worse has shown; see docs/how-to/report-changes.md. */
const SHOWN_AFTER_S = 180;

/** Prints the effects of a change. */
export async function runEffects({ args, values, program }: Invocation): Promise<undefined> {
  const query = given(endpointOf('change.effects').query, values);
  const { client } = connect(program, values);
  const effects = await client.change.effects({ params: { id: Number(args[0]) }, query });
  return printWithLists(program.io, effects, LISTS, values);
}

/** Waits for the verdict on a change, prints its effects, and tells the verdict by the exit code. */
export async function runWait({ args, values, program }: Invocation): Promise<number | undefined> {
  const { within } = given(endpointOf('change.effects').query, values);
  const { client } = connect(program, values);
  const endMs = Date.now() + Number(values['for'] ?? 600) * 1000;
  for (;;) {
    const startMs = Date.now();
    const wait = Math.max(0, Math.min(WAIT_MAX_S, Math.ceil((endMs - startMs) / 1000)));
    const input = {
      params: { id: Number(args[0]) },
      query: { ...(within === undefined ? {} : { within: Number(within) }), wait },
    };
    const effects = await client.change.effects(input, { timeoutMs: (wait + 20) * 1000 });
    if (effects.settled || Date.now() >= endMs) {
      await printWithLists(program.io, effects, LISTS, values);
      return codeOf(effects);
    }
    const pauseMs = Math.min(endMs, startMs + PAUSE_MS) - Date.now();
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Exit code of a verdict. Where nothing but time is missing, the time that a person chose is enough after a while. */
function codeOf({ verdict, missing, time, until }: ChangeEffects): number | undefined {
  if (verdict === 'worse') return exitCode('worse');
  if (verdict === 'no_difference') return undefined;
  const lacksTimeOnly = missing.every((lack) => lack === 'time');
  return lacksTimeOnly && until - time >= SHOWN_AFTER_S ? undefined : exitCode('unknown');
}
