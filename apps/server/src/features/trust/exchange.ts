// `POST /admin-api/api_token/exchange`: an id token of a job becomes an API token of an hour, by a trust rule.
import { createHash } from 'node:crypto';
import { AppError, type contract, type Service, subjectMatches, visibleText } from '@quarterdeck/core';
import { networkOf } from '@quarterdeck/core/addresses';
import { isUniqueViolation } from '@quarterdeck/core/db';
import { newSecret } from '../../auth/secrets.ts';
import { ADDRESS, type Attempt, createThrottle } from '../../auth/throttle.ts';
import { grantOf } from '../../auth/token-scopes.ts';
import { createToken } from '../api-token/api-token.repo.ts';
import type { CallContext } from '../call-context.ts';
import { type IdTokenClaims, issuerOf } from './id-token.ts';
import type { TrustNeeds } from './needs.ts';
import { countTokensOfRule, findRulesOf, noteExchange, type RuleRow } from './trust.repo.ts';

type Exchange = Pick<Service<(typeof contract)['apiToken'], CallContext>, 'exchange'>;

const HOUR_MS = 3_600_000;
/** Seconds by which clocks may differ: for that long an id token is still accepted after its expiry. */
const SKEW_MS = 60_000;
/** Tokens of one rule that have not expired. */
const TOKENS_MAX = 1_000;
const NAME_MAX = 200;
const TAIL_LENGTH = 4;
/** Claims in the audit log: as many, and as many characters of each. */
const CLAIMS_MAX = 40;
const CLAIM_MAX = 300;

/** Digest of what the issuer has signed. Another spelling of the signature makes no other token of it. */
const digestOf = (token: string): string =>
  createHash('sha256')
    .update(token.slice(0, token.lastIndexOf('.')))
    .digest('hex');

const cut = (text: string, max: number) => visibleText(text).slice(0, max);

/** Claims for the audit log: texts from outside, cleaned and cut. */
function claimsForAudit({ all }: IdTokenClaims): Record<string, unknown> {
  const shown = Object.entries(all).slice(0, CLAIMS_MAX);
  const textOf = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
  return Object.fromEntries(
    shown.map(([name, value]) => [
      cut(name, CLAIM_MAX),
      typeof value === 'number' ? value : cut(textOf(value), CLAIM_MAX),
    ]),
  );
}

const fits = ({ audience, subject }: RuleRow, { aud, sub }: IdTokenClaims): boolean =>
  aud.includes(audience) && subjectMatches(subject, sub);

/** True where the rule still gives something: its owner has some of its permissions. */
const gives = ({ scopes, user }: RuleRow): boolean =>
  !user.disabled && grantOf(user.role, scopes, user.errlogFilter).permissions.length > 0;

/** Creates the endpoint. */
export function exchangeService(deps: TrustNeeds): Exchange {
  const { db, key, audit, log, now, verifyIdToken } = deps;
  const throttle = createThrottle(db, now);

  /** Verifies an id token by the keys of an issuer that a rule names. */
  async function verify(token: string): Promise<{ claims: IdTokenClaims; rules: readonly RuleRow[] }> {
    const issuer = issuerOf(token);
    // Nobody else may have the server fetch keys.
    const rules = issuer === undefined ? [] : await findRulesOf(db.read, issuer);
    if (issuer === undefined || rules.length === 0) {
      throw new AppError('credential_invalid', { message: 'No trust rule names the issuer of this token.' });
    }
    const verified = await verifyIdToken(token, issuer);
    if ('claims' in verified) return { claims: verified.claims, rules };
    const { refused, cause } = verified;
    if (refused === 'unreachable') {
      log.warn({ err: cause, issuer }, 'the keys of an issuer cannot be read');
      throw new AppError('identity_unavailable', {
        message: `The keys of ${issuer} cannot be read. Try again shortly.`,
      });
    }
    const message = 'The id token is not valid: its signature, its times or a claim is wrong.';
    throw new AppError('credential_invalid', { message, cause });
  }

  function ruleFor({ claims, rules }: { claims: IdTokenClaims; rules: readonly RuleRow[] }): RuleRow {
    const rule = rules.find((one) => fits(one, claims) && gives(one));
    if (rule !== undefined) return rule;
    const [audience, subject] = [cut(claims.aud.join(', '), CLAIM_MAX), cut(claims.sub, CLAIM_MAX)];
    throw new AppError('forbidden', {
      message: `No trust rule of this issuer has the audience ${audience} and the subject ${subject}.`,
    });
  }

  /** Stores the API token of a rule for an id token, which works once. */
  async function issue(
    rule: RuleRow,
    token: string,
    claims: IdTokenClaims,
    request: CallContext['request'],
    attempt: Attempt,
  ) {
    const nowMs = now();
    const secret = newSecret('api_token');
    const name = cut(`${rule.name || `trust rule ${rule.id}`}: ${claims.sub}`, NAME_MAX);
    const row = {
      userId: rule.userId,
      name,
      expireMs: nowMs + HOUR_MS,
      tokenHash: key.digest(secret),
      tokenTail: secret.slice(-TAIL_LENGTH),
      scopes: rule.scopes,
      allowedCidrs: rule.allowedCidrs,
      kind: 'api' as const,
      trustRuleId: rule.id,
    };
    const id = await db.write(async (tx) => {
      await noteExchange(tx, rule.id, { digest: digestOf(token), expireMs: claims.exp * 1000 + 2 * SKEW_MS }, nowMs);
      if ((await countTokensOfRule(tx, rule.id, nowMs)) >= TOKENS_MAX) {
        throw new AppError('token_limit_reached', { message: `The rule has given ${TOKENS_MAX} tokens of this hour.` });
      }
      const made = await createToken(tx, row, nowMs);
      await throttle.giveBack(tx, attempt);
      const detail = { rule: rule.id, owner: rule.user.username, scopes: rule.scopes, claims: claimsForAudit(claims) };
      const target = { kind: 'api_token', id: made };
      await audit.record(tx, { action: 'api_token.exchange', actor: null, request, target, detail });
      return made;
    });
    const times = { _created_unix: nowMs / 1000, _modified_unix: nowMs / 1000 };
    return { id, name, expire: row.expireMs, ...times, token: secret, uid: rule.userId };
  }

  /** Settles a refused attempt. What an issuer has signed is worth an entry. */
  async function refuse(
    error: unknown,
    claims: IdTokenClaims | undefined,
    request: CallContext['request'],
    attempt: Attempt,
  ): Promise<never> {
    const refusal = isUniqueViolation(error)
      ? new AppError('credential_invalid', { message: 'This id token was exchanged before. Get another one.' })
      : error;
    const isWrong = refusal instanceof AppError && refusal.status < 500;
    await db.write(async (tx) => {
      await (isWrong ? throttle.fail(tx, attempt) : throttle.giveBack(tx, attempt));
      if (!isWrong || claims === undefined) return;
      const detail = { reason: refusal.message, claims: claimsForAudit(claims) };
      await audit.record(tx, { action: 'api_token.exchange_refused', actor: null, request, detail });
    });
    throw refusal;
  }

  return {
    async exchange({ body: { token }, request }) {
      const charge = {
        key: `exchange:${networkOf(request.address)}`,
        budget: ADDRESS,
        onSuccess: 'give_back',
      } as const;
      const attempt = await throttle.reserve([charge]);
      let claims: IdTokenClaims | undefined;
      try {
        const verified = await verify(token);
        claims = verified.claims;
        return await issue(ruleFor(verified), token, claims, request, attempt);
      } catch (error) {
        return refuse(error, claims, request, attempt);
      }
    },
  };
}
