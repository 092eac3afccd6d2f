import { ApiTokenDraft, permissionsOf, plainMessage } from '@quarterdeck/core';
import { newSecret } from '../auth/secrets.ts';
import { issueToken, tokenDetail } from '../features/bootstrap/system-token.ts';
import { readExpiry } from '../features/bootstrap/token-expiry.ts';
import { isEnabled } from '../features/user/user.repo.ts';
import { Refusal, UsageError } from '../process/refusal.ts';
import type { CommandCall } from './command.ts';
import { getUser } from './user.ts';

const listOf = (text: string | undefined) => text?.split(',').map((item) => item.trim());

const OPTION_OF: Record<string, string> = { name: '--name', scopes: '--scopes', allowed_cidrs: '--cidr' };

export async function createToken({ option, config, openData, out, say }: CommandCall): Promise<void> {
  const owner = option('user');
  const label = option('name');
  if (owner === undefined || label === undefined) throw new UsageError('--user and --name are required');
  const { tokenMaxDays } = config();
  const nowMs = Date.now();
  const expire = readExpiry(option('expire'), nowMs, tokenMaxDays);
  if ('problem' in expire) throw new UsageError(`--expire ${expire.problem}`);
  const scopes = listOf(option('scopes'));
  const parsed = ApiTokenDraft.safeParse(
    { name: label, scopes, allowed_cidrs: listOf(option('cidr')) },
    { error: plainMessage },
  );
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new UsageError(`${OPTION_OF[String(issue?.path[0])]}: ${issue?.message}`);
  }

  await using data = await openData();
  const { db, key, audit } = data;
  const secret = newSecret('api_token');
  const row = {
    name: parsed.data.name ?? '',
    expireMs: expire.ms,
    scopes: parsed.data.scopes ?? null,
    cidrs: parsed.data.allowed_cidrs ?? [],
  };
  const user = await getUser(db, owner);
  if (!isEnabled(user)) throw new Refusal(`the user ${JSON.stringify(owner)} is disabled`);
  const beyond = (row.scopes ?? []).filter((scope) => !permissionsOf(user.role).includes(scope));
  if (beyond.length > 0) throw new Refusal(`the role ${user.role} does not allow ${beyond.join(', ')}`);
  const id = await db.write(async (tx) => {
    const made = await issueToken(tx, key, user.id, secret, row, nowMs);
    const target = { kind: 'api_token', id: made };
    const detail = tokenDetail(user.id, row);
    await audit.record(tx, { action: 'api_token.create', actor: 'local', target, detail });
    return made;
  });
  out(secret);
  say(`token ${id} of ${owner}, ${row.expireMs === 0 ? 'never expires' : `expires ${expire.text}`}`);
}
