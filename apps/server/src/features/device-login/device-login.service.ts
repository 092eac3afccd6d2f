// The noun `deviceLogin`: a terminal shows a code, a person confirms it in a browser, and the terminal gets a session.
import { randomInt } from 'node:crypto';
import { AppError, type contract, type Service, USER_CODE_LENGTH, USER_CODE_LETTERS } from '@quarterdeck/core';
import { networkOf } from '@quarterdeck/core/addresses';
import { randomBase62 } from '../../auth/secrets.ts';
import { type Charge, createThrottle, SECOND_FACTOR } from '../../auth/throttle.ts';
import type { CallContext } from '../call-context.ts';
import { openSession } from '../user/open-session.ts';
import { isEnabled } from '../user/user.repo.ts';
import {
  countDevices,
  createDevice,
  type DeviceCode,
  decideDevice,
  findDevice,
  findWaiting,
  noteAsked,
  removeDevice,
} from './device-code.repo.ts';
import type { DeviceNeeds } from './needs.ts';

const SECRET_LENGTH = 43;
/** Time for which codes can be used. */
const CODE_MS = 10 * 60_000;
/** Seconds between two requests of a terminal, and the part of them that a timer may be early. */
const INTERVAL_S = 5;
const EARLY_MS = 500;
/** Terminals that may wait at once: of one network, and in all. */
const PER_NETWORK_MAX = 20;
const DEVICES_MAX = 1_000;

/** Path of the page on which codes are confirmed. */
const PAGE = '/device';

const newUserCode = (): string =>
  Array.from({ length: USER_CODE_LENGTH }, () => USER_CODE_LETTERS[randomInt(USER_CODE_LETTERS.length)]).join('');

/** A code as people read it, `BCDF-GHJK`. */
const shown = (code: string): string => `${code.slice(0, USER_CODE_LENGTH / 2)}-${code.slice(USER_CODE_LENGTH / 2)}`;

/** Digests of the two codes have prefixes, so that one is never taken for the other. */
const deviceText = (code: string) => `device:${code}`;
const userText = (code: string) => `user-code:${code}`;

export function deviceLoginService(deps: DeviceNeeds): Service<(typeof contract)['deviceLogin'], CallContext> {
  const { db, key, audit, now, publicUrl } = deps;
  const throttle = createThrottle(db, now);

  async function checkRoom(network: string): Promise<void> {
    const isFull =
      (await countDevices(db.read, now(), network)) >= PER_NETWORK_MAX ||
      (await countDevices(db.read, now())) >= DEVICES_MAX;
    if (!isFull) return;
    const message = 'Too many terminals wait for the confirmation of their codes. Wait, then try again.';
    throw new AppError('too_many_requests', { message, retryAfterS: CODE_MS / 1000 });
  }

  /** Finds the terminal of a user code. Wrong codes are counted for the person who types them. */
  async function findFor(userId: number, code: string): Promise<DeviceCode> {
    const charges: Charge[] = [{ key: `device:${userId}`, budget: SECOND_FACTOR, onSuccess: 'give_back' }];
    const attempt = await throttle.reserve(charges);
    return settle(await findWaiting(db.read, key.digests(userText(code)), now()));

    async function settle(found: DeviceCode | null): Promise<DeviceCode> {
      await db.write((tx) => (found === null ? throttle.fail(tx, attempt) : throttle.giveBack(tx, attempt)));
      if (found !== null) return found;
      throw new AppError('not_found', { message: 'No terminal waits with this code. Check it, or begin again.' });
    }
  }

  return {
    async start({ body, request }) {
      const network = networkOf(request.address);
      await checkRoom(network);
      const [deviceCode, userCode] = [randomBase62(SECRET_LENGTH), newUserCode()];
      const createdMs = now();
      await db.write((tx) =>
        createDevice(tx, {
          ...body,
          deviceHash: key.digest(deviceText(deviceCode)),
          userHash: key.digest(userText(userCode)),
          address: request.address,
          network,
          client: request.client,
          createdMs,
          expireMs: createdMs + CODE_MS,
        }),
      );
      return {
        device_code: deviceCode,
        user_code: shown(userCode),
        // Without an address of its own, the server is where the terminal has found it.
        verification_uri: `${publicUrl ?? ''}${PAGE}`,
        interval: INTERVAL_S,
        expires_in: CODE_MS / 1000,
      };
    },

    async find({ body, actor }) {
      const { name, address, client, createdMs, expireMs } = await findFor(actor.userId, body.user_code);
      return { name, address, client, created: Number(createdMs) / 1000, expire: Number(expireMs) };
    },

    async confirm({ body, actor, request }) {
      const { id, name, address } = await findFor(actor.userId, body.user_code);
      const state = body.approve ? 'approved' : 'denied';
      await db.write(async (tx) => {
        if (!(await decideDevice(tx, id, state, actor.credential.id))) throw new AppError('not_found');
        const target = { kind: 'user', id: actor.userId };
        const detail = { terminal: name, address };
        await audit.record(tx, { action: `user.device_${state}`, actor, request, target, detail });
      });
      return undefined;
    },

    async token({ body, request }) {
      const found = await findDevice(db.read, key.digests(deviceText(body.device_code)));
      const nowMs = now();
      if (found === null || Number(found.expireMs) <= nowMs) throw new AppError('device_code_expired');
      const { id, state, session } = found;
      if (state === 'waiting') {
        const isEarly = nowMs - Number(found.askedMs) < INTERVAL_S * 1000 - EARLY_MS;
        await db.write((tx) => noteAsked(tx, id, nowMs));
        throw new AppError(isEarly ? 'slow_down' : 'authorization_pending');
      }
      const isApproved = state === 'approved' && session !== null && isEnabled(session.user);
      return db
        .write(async (tx) => {
          if (!(await removeDevice(tx, id))) throw new AppError('device_code_expired');
          return isApproved
            ? openSession(deps, tx, {
                user: session.user,
                request,
                remember: found.remember,
                // No longer than the session that approved it: one stolen session could live for ever.
                untilMs: Number(session.expireMs),
                confirmedMs: Number(session.confirmedMs),
                ssoId: session.ssoId,
                secondFactor: session.secondFactor,
                detail: { device: found.name, approved_by: `session:${session.id}`, approved_from: session.address },
              })
            : undefined;
        })
        .then((login) => {
          if (login === undefined) throw new AppError('access_denied');
          return login;
        });
    },
  };
}
