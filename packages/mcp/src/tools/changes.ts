// Tools that change errors: each answers a dry run first, and acts only with the confirmation of that dry run.
import { ErrlogFilter, MuteUntil } from '@quarterdeck/core';
import type { Client } from '@quarterdeck/sdk';
import { z } from 'zod';
import { type Findings, ToolError } from './answer.ts';
import { defineTool, type ToolContext, textLast } from './tool.ts';

const IDS_MAX = 1_000;
/** Errors that a dry run shows. */
const SHOWN_MAX = 10;

const target = {
  ids: z.array(z.int().min(1)).min(1).max(IDS_MAX).optional().meta({ description: 'These errors' }),
  filter: ErrlogFilter.optional().meta({
    description: 'Or all errors that match this; the arguments of search_errors',
  }),
};
const confirmation = z.string().max(200).optional().meta({
  description: 'Of the dry run with the same other arguments; without it this call is the dry run',
});

interface Request {
  readonly ids?: number[] | undefined;
  readonly filter?: z.input<typeof ErrlogFilter> | undefined;
  readonly confirmation?: string | undefined;
}

type Target = { readonly ids: number[] } | { readonly filter: z.input<typeof ErrlogFilter> };
type NewState = { readonly state: 'resolved' } | { readonly state: 'muted'; readonly until: string };

/** The target in one form, because a confirmation is of exactly this text. */
function targetOf({ ids, filter }: Request): Target {
  if ((ids === undefined) === (filter === undefined)) throw new ToolError('Give either ids or filter.');
  if (ids !== undefined) return { ids: [...new Set(ids)].sort((a, b) => a - b) };
  const given = Object.entries(filter ?? {}).filter(([, value]) => value !== undefined && value !== '');
  if (given.length === 0) throw new ToolError('An empty filter would match every error. Give a condition.');
  return { filter: Object.fromEntries(given.sort(([a], [b]) => (a < b ? -1 : 1))) };
}

async function affected(client: Client, target: Target, signal: AbortSignal): Promise<object[]> {
  if ('ids' in target) {
    const shown = target.ids.slice(0, SHOWN_MAX);
    const found = shown.map((id) => client.errlog.get({ params: { id } }, { signal }).then(textLast, () => ({ id })));
    return Promise.all(found);
  }
  const query = { ...target.filter, page_size: SHOWN_MAX, detail: 1 };
  return (await client.errlog.list({ query }, { signal })).data.map(textLast);
}

async function change(context: ToolContext, request: Request, to: NewState): Promise<Findings> {
  const { client, caller, confirmations, signal } = context;
  const target = targetOf(request);
  const subject = { caller, action: to.state, target: { ...target, ...to } };
  const allowed = request.confirmation === undefined ? undefined : confirmations.redeem(request.confirmation, subject);
  const dry = await client.errlog.bulk({ body: { ...target, ...to, dry_run: true } }, { signal });
  if (allowed === undefined) {
    return {
      summary:
        `Dry run, nothing was changed: ${dry.matched} errors would become ${to.state}. ` +
        'To do it, repeat the call with this confirmation, once, within five minutes.',
      data: { errors: await affected(client, target, signal), refused: dry.failed },
      confirmation: confirmations.create(subject, dry.matched),
    };
  }
  if (dry.matched > allowed) {
    throw new ToolError(
      `Nothing was changed: ${dry.matched} errors match now, and ${allowed} in the dry run. Make the dry run again.`,
    );
  }
  const { matched, done, failed } = await client.errlog.bulk({ body: { ...target, ...to } }, { signal });
  return { summary: `${done} of ${matched} errors are ${to.state}.`, data: { refused: failed } };
}

export const muteErrors = defineTool({
  name: 'mute_errors',
  title: 'Mute errors',
  description: 'Mutes errors, so that they raise no events. The first call is a dry run, which changes nothing.',
  input: z.strictObject({ ...target, until: MuteUntil, confirmation }),
  changes: true,
  run: (context, { until, ...request }) => change(context, request, { state: 'muted', until }),
});

export const resolveErrors = defineTool({
  name: 'resolve_errors',
  title: 'Resolve errors',
  description:
    'Marks errors as resolved; one that happens again comes back as regressed. The first call is a dry run, which ' +
    'changes nothing.',
  input: z.strictObject({ ...target, confirmation }),
  changes: true,
  run: (context, request) => change(context, request, { state: 'resolved' }),
});
