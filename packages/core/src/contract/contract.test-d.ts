// Checks the types of the contract: this file must compile.
import { expectTypeOf } from 'vitest';
import type { Actor, AgentActor, EnrollmentActor, UserActor } from '../auth/actor.ts';
import type { Agent } from '../domain/agent.ts';
import type { ApiToken, NewApiToken } from '../domain/api-token.ts';
import type { Page } from '../domain/page.ts';
import type { Data, Parsed, Result, Service } from './endpoint.ts';
import type { contract } from './index.ts';

type Tokens = (typeof contract)['apiToken'];
type Agents = (typeof contract)['agent'];

// The service of a list receives the defaults.
expectTypeOf<Parsed<Tokens['list']>['query']['page']>().toEqualTypeOf<number>();

// A path parameter is a number.
expectTypeOf<Parsed<Tokens['get']>['params']>().toEqualTypeOf<{ id: number }>();

// Only the answer to a creation has the secret.
expectTypeOf<Data<Tokens['create']>>().toEqualTypeOf<NewApiToken>();
expectTypeOf<Data<Tokens['get']>>().toEqualTypeOf<ApiToken>();
expectTypeOf<ApiToken>().not.toHaveProperty('token');

// Absent data has no type.
expectTypeOf<Data<Tokens['remove']>>().toEqualTypeOf<undefined>();

// The agent list is a bare array on the wire; its service also returns the total.
expectTypeOf<Data<Agents['list']>>().toEqualTypeOf<Agent[]>();
expectTypeOf<Result<Agents['list']>>().toEqualTypeOf<Page<Agent>>();

// Access decides the type of the caller that a service receives.
expectTypeOf<Parameters<Service<Agents, unknown>['heartbeat']>[0]['actor']>().toEqualTypeOf<AgentActor>();
expectTypeOf<Parameters<Service<Agents, unknown>['list']>[0]['actor']>().toEqualTypeOf<UserActor>();
expectTypeOf<Parameters<Service<(typeof contract)['errlog'], unknown>['append']>[0]['actor']>().toEqualTypeOf<
  UserActor | AgentActor
>();
expectTypeOf<Parameters<Service<Agents, unknown>['register']>[0]['actor']>().toEqualTypeOf<
  UserActor | EnrollmentActor
>();
expectTypeOf<
  Parameters<Service<(typeof contract)['user'], unknown>['login']>[0]['actor']
>().toEqualTypeOf<Actor | null>();
