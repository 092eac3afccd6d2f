// Everything that an incident of the night can use, and the alerts that it expects.
import { setTimeout as delay } from 'node:timers/promises';
import type { NightAgent } from './agents.ts';
import type { Clients } from './calls.ts';
import type { NightReceiver } from './receiver.ts';
import type { Senders } from './senders.ts';
import type { NightServer } from './servers.ts';

/** An alert that must be notified. */
export interface Expected {
  readonly rule: string;
  /** Cause of the alert, or `service NAME` for the group of a service. */
  readonly cause: string;
  /** Its end is notified as well. */
  readonly ends: boolean;
}

export interface World {
  readonly speed: number;
  /** Time of the fast clock in Unix milliseconds. */
  now(): number;
  /** The load ends. */
  isOver(): boolean;
  readonly admin: Clients;
  readonly token: string;
  readonly servers: readonly NightServer[];
  readonly agents: readonly NightAgent[];
  readonly senders: Senders;
  /** Receivers of the two channels. */
  readonly receivers: readonly [NightReceiver, NightReceiver];
  readonly channels: readonly [number, number];
  readonly expected: Expected[];
  expect(rule: string, cause: string, ends?: boolean): void;
  /** Kills or stops a server, and starts it again. */
  restart(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  agent(n: number): NightAgent;
}

/** Waits for seconds of the real clock. */
export const real = (seconds: number): Promise<void> => delay(seconds * 1000);
/** Waits for seconds of the fast clock. */
export const night = ({ speed }: World, seconds: number): Promise<void> => real(seconds / speed);
