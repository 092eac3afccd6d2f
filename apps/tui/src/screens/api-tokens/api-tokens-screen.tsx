// The API tokens: list, and the dialogs that issue, change and delete them.
import { Box } from 'ink';
import { type ReactElement, useEffect, useMemo } from 'react';
import { CONFIRM_ROWS, Confirm } from '../../components/confirm.tsx';
import { ScreenFrame, useFrame } from '../../components/frame/screen-frame.tsx';
import { listCommands } from '../../components/list-commands.ts';
import { QueryNotice } from '../../components/notice.tsx';
import { splitBelow, undivided } from '../../components/split.ts';
import { Table } from '../../components/table/table.tsx';
import { useCursor } from '../../components/use-cursor.ts';
import { useDashboard } from '../../data/dashboard.ts';
import { staleMessage } from '../../data/stale.ts';
import { useNow } from '../../data/use-now.ts';
import { useCommands } from '../../keys/use-commands.ts';
import { clean } from '../../text/clean.ts';
import { ApiTokenForm, FORM_ROWS } from './api-token-form.tsx';
import { apiTokenChips, apiTokenColumns, isInUse, tokenName } from './api-tokens-view.ts';
import { expiryText } from './expiry.ts';
import { SECRET_ROWS, SecretPane } from './secret-pane.tsx';
import { type ApiTokensModel, useApiTokens } from './use-api-tokens.ts';

const PANE_ROWS = {
  apiTokenCreate: FORM_ROWS,
  apiTokenEdit: FORM_ROWS,
  apiTokenRemove: CONFIRM_ROWS,
  apiTokenSecret: SECRET_ROWS,
} as const;

/** The screen; while it is not visible nothing is read, and what is known is kept. */
export function ApiTokensScreen({ visible }: { readonly visible: boolean }): ReactElement | null {
  const { width, height } = useFrame();
  const { me, now, overlay, open } = useDashboard();
  const model = useApiTokens(visible);
  const { tokens } = model;
  const nowMs = useNow(now, 30_000, visible);

  const dialog =
    visible && overlay !== null && overlay.kind in PANE_ROWS ? (overlay.kind as keyof typeof PANE_ROWS) : null;
  const split = dialog === null ? undivided(width, height) : splitBelow(width, height, PANE_ROWS[dialog]);
  const listRows = Math.max(1, split.list.height - 1);
  const ids = useMemo(() => tokens.map(({ id }) => id), [tokens]);
  const cursor = useCursor(ids, listRows);
  const selected = tokens[cursor.index];
  const columns = useMemo(() => apiTokenColumns(tokens, me, nowMs), [tokens, me, nowMs]);

  useCommands(
    'apiTokens',
    {
      ...listCommands(cursor.mover, listRows),
      refresh: model.refresh,
      create() {
        model.create.reset();
        open({ kind: 'apiTokenCreate' });
      },
      edit:
        selected &&
        (() => {
          model.update.reset();
          open({ kind: 'apiTokenEdit', id: selected.id });
        }),
      remove:
        selected &&
        (() => {
          model.remove.reset();
          open({ kind: 'apiTokenRemove', id: selected.id });
        }),
    },
    { active: visible },
  );
  if (!visible) return null;

  return (
    <ScreenFrame
      chips={apiTokenChips(tokens.length, model.total, cursor.index)}
      standing={staleMessage(model.query, nowMs)}
    >
      <Box flexDirection="column" width={width} height={split.list.height} overflow="hidden">
        {tokens.length === 0 ? (
          <QueryNotice
            query={model.query}
            reading="Reading the API tokens…"
            empty="No API tokens yet."
            lines={['A token lets a program in without an account and a password. Press a to issue one.']}
            width={width}
            height={split.list.height}
          />
        ) : (
          <Table
            columns={columns}
            rows={tokens.slice(cursor.offset, cursor.offset + listRows)}
            selectedId={cursor.id}
            width={width}
          />
        )}
      </Box>
      <Dialog model={model} width={width} height={split.pane.height} nowMs={nowMs} />
    </ScreenFrame>
  );
}

interface DialogProps {
  readonly model: ApiTokensModel;
  readonly width: number;
  readonly height: number;
  readonly nowMs: number;
}

function Dialog({ model, width, height, nowMs }: DialogProps): ReactElement | null {
  const { me, overlay, close } = useDashboard();
  const { tokens, create, update, remove, made, forget } = model;
  const token = overlay !== null && 'id' in overlay ? tokens.find(({ id }) => id === overlay.id) : undefined;
  // Somebody else may have deleted the token that this is about.
  const isGone = overlay !== null && 'id' in overlay && token === undefined;
  useEffect(() => {
    if (isGone) close();
  }, [isGone, close]);

  if (overlay?.kind === 'apiTokenCreate') {
    return (
      <ApiTokenForm
        title="New API token"
        submit="issue it"
        mutation={create}
        width={width}
        height={height}
        onCancel={close}
      />
    );
  }
  if (overlay?.kind === 'apiTokenSecret' && made !== null) {
    const forgetAndClose = (): void => {
      forget();
      close();
    };
    return (
      <SecretPane name={tokenName(made)} secret={made.token} width={width} height={height} onClose={forgetAndClose} />
    );
  }
  if (overlay?.kind === 'apiTokenEdit' && token !== undefined) {
    return (
      <ApiTokenForm
        title={`Change ${tokenName(token)}`}
        submit="save it"
        current={token}
        mutation={{ ...update, run: (input) => update.run({ ...input, id: token.id }) }}
        width={width}
        height={height}
        onCancel={close}
      />
    );
  }
  if (overlay?.kind === 'apiTokenRemove' && token !== undefined) {
    const owner = token.username === undefined ? '' : ` of ${clean(token.username)}`;
    const ends = token.expire === 0 ? 'never expires' : `expires ${expiryText(token.expire, nowMs)}`;
    return (
      <Confirm
        title="Delete this API token?"
        lines={[`${tokenName(token)}${owner}, ${ends}.`, 'Whatever uses it is refused at once. This cannot be undone.']}
        warning={isInUse(token, me) ? 'This dashboard is using it: you will be signed out.' : undefined}
        yes="Delete it"
        running={remove.running}
        failure={remove.failure}
        width={width}
        height={height}
        onYes={() => remove.run(token)}
        onNo={close}
      />
    );
  }
  return null;
}
