// The routes of our contract, with what this server adds to the life of a request.
import { contract, type Endpoint, LINK_HEADER } from '@quarterdeck/core';
import { maskTexts } from '@quarterdeck/core/lines';
import { mount, type Pipeline, type ServicesOf } from '@quarterdeck/express/parts';
import type { Router } from 'express';
import type { CallContext } from '../features/call-context.ts';
import { readBody } from './body.ts';
import { checkBrowserSignIn, withCookie } from './browser-session.ts';
import { addressOf, callerOf } from './caller.ts';
import { noteCredential } from './connection-guard.ts';
import { type OnDenied, reportDenial } from './denied.ts';
import type { Identify, IdentifyLink } from './identify.ts';
import { checkShows } from './link-access.ts';
import type { WriteLimit } from './write-limit.ts';

/** Name under which Node has the header. */
const LINK = LINK_HEADER.toLowerCase();

/** A service per noun of our contract. */
export type Services = ServicesOf<typeof contract, CallContext>;

/** Dependencies of {@link contractRoutes}. */
export interface ContractDeps {
  readonly services: Services;
  readonly identify: Identify;
  readonly identifyLink: IdentifyLink;
  readonly now: () => number;
  readonly onDenied: OnDenied;
  readonly writeLimit: WriteLimit;
  readonly checkAnswers?: boolean;
}

/** Adds the routes of the endpoints that this process answers to a router. */
export function contractRoutes(deps: ContractDeps, serves: (endpoint: Endpoint) => boolean, router: Router): void {
  const { identify, identifyLink, onDenied, writeLimit } = deps;
  const byLink = new WeakSet<object>();
  const pipeline: Pipeline<CallContext['request']> = {
    now: deps.now,
    serves,
    checkAnswers: deps.checkAnswers,
    callerOf,
    readBody,
    async identify(req) {
      const actor = await identify(req.headers, addressOf(req), req.id);
      if (actor !== null) noteCredential(req);
      const key = req.headers[LINK];
      if (actor !== null || typeof key !== 'string' || key === '') return actor;
      const link = await identifyLink(key, req.headers, addressOf(req), req.id);
      checkShows(link, req);
      byLink.add(req);
      return link.actor;
    },
    admit(endpoint, req, actor, res) {
      checkBrowserSignIn(endpoint, req);
      writeLimit.count(endpoint, req.method, actor, res);
    },
    finish: (endpoint, input, data, req, res) =>
      // Readers without an account see no secrets that log lines or changes have.
      byLink.has(req) ? maskTexts(data) : withCookie(endpoint, input, data, req, res, deps.now()),
    onError: (error, actor, { path }, req) => reportDenial(onDenied, error, actor, path, req),
  };
  mount(contract, deps.services, pipeline, router);
}
