// A simulation: a server, agents, a program with an API token and a receiver of messages, with everything that can go
// wrong around them. The seed decides all of it.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromDatabase } from '../../apps/server/src/http/error-handler.ts';
import type { AppError, ErrlogReceipt } from '../../packages/core/src/index.ts';
import { toAppError } from '../../packages/express/src/error-handler.ts';
import { ApiError } from '../../packages/sdk/src/index.ts';
import { memoryFolder } from '../memory-folder.ts';
import { SimAgent } from './agent.ts';
import { Checker } from './checker.ts';
import { checkEnd } from './end-checks.ts';
import { Network } from './network.ts';
import { begin, run, runAs, type SimProcess, simulatedMs } from './platform.ts';
import { Random } from './random.ts';
import { Receiver } from './receiver.ts';
import { openDisk, requestOf, type SentBatch, type SimServer, startSimServer } from './server.ts';
import { ServerDisk } from './server-disk.ts';
import { ADMIN, makeTables, storeRows } from './template.ts';
import { CLIENT, TokenClient } from './token-client.ts';

const AGENTS = ['alder', 'birch'] as const;
/** Words of the errors that programs report: each is a group of its own. */
const KINDS = ['disk', 'socket', 'memory', 'login', 'parser'] as const;
const REQUEST_MS = 30_000;
/** Most steps until everything has arrived once nothing fails any more, and their time. */
const END_STEPS_MAX = 60;
const END_STEP_MS = 20_000;
/** Time by which the clock is set ahead in each of them, so that messages that wait become due. */
const END_AHEAD_MS = 600_000;
const GRACE_S = 20;

/** Result of a simulation. */
export interface Simulated {
  /** The first broken promise with its step; undefined when all were kept. */
  readonly broken: string | undefined;
  /** Events, one entry a line. */
  readonly events: readonly string[];
}

/** A token as those who use it know it. */
interface KnownToken {
  readonly id: number;
  /** True from the time at which somebody asked to revoke it. */
  isDoubtful: boolean;
  /** Simulated time at which its revocation was answered. */
  revokedMs: number | undefined;
  /** The secret before a rotation works until then, by the clock of the server. */
  graceUntilMs: number;
}

interface Running {
  readonly process: SimProcess;
  readonly server: SimServer;
}

const root = mkdtempSync(join(memoryFolder() ?? tmpdir(), 'quarterdeck-sim-'));
process.on('exit', () => rmSync(root, { recursive: true, force: true }));
let template: { readonly file: string; readonly secrets: ReadonlyMap<string, string> } | undefined;

/** Makes the database that every simulation begins with, once. */
async function templateOf() {
  if (template !== undefined) return template;
  begin(0);
  const file = join(root, 'template.db');
  makeTables(file);
  const folder = join(root, 'first');
  mkdirSync(folder);
  const disk = new ServerDisk(folder, file, new Random(0), () => undefined);
  const process: SimProcess = { name: 'first', isAlive: true, clockAheadMs: 0 };
  let secrets: ReadonlyMap<string, string> = new Map();
  const made = runAs(process, async () => {
    const db = await openDisk(disk);
    secrets = await db.write((tx) => storeRows(tx, AGENTS));
    const server = await startSimServer(db, new Receiver({} as never).transports(process));
    for (const [name, when] of [
      ['new errors', { kind: 'errlog.new' }],
      ['many errors', { kind: 'errlog.count', count: 15, within: 60, per: 'error' }],
    ] as const) {
      const settings = { enabled: true, filter: '', for: 0, cooldown: 3600, repeat: 0, runbook: '', issue: '' };
      const body = { name, when, channels: [1], ...settings };
      await server.alerts.create({ body, actor: ADMIN, request: requestOf('first'), params: {}, query: {} } as never);
    }
  });
  await run(10_000);
  await made;
  process.isAlive = false;
  disk.restart(false);
  template = { file: join(root, 'start.db'), secrets };
  disk.copyTo(template.file);
  disk.remove();
  return template;
}

/** Runs one seed for `hours` of simulated time. */
export async function simulate(seed: number, hours: number): Promise<Simulated> {
  const { file, secrets } = await templateOf();
  begin(seed);
  const world = new World(seed, file, secrets);
  try {
    await world.run(hours * 3_600_000);
    return { broken: world.checker.broken, events: world.checker.events };
  } finally {
    world.remove();
  }
}

class World {
  readonly #random: Random;
  readonly #network: Network;
  readonly #disk: ServerDisk;
  readonly #receiver: Receiver;
  readonly #client: TokenClient;
  readonly #agents: readonly SimAgent[];
  readonly #admin: SimProcess = { name: 'admin', isAlive: true, clockAheadMs: 0 };
  readonly #tokens = new Map<string, KnownToken>();
  readonly checker: Checker;
  #folder: string;
  #step = 0;
  #running: Running | undefined;
  #starting: SimProcess | undefined;
  #aheadMs = 0;
  /** Simulated time at which killed processes start again. */
  readonly #startsMs = new Map<SimAgent | 'server', number>();
  #errors = 0;
  /** Errors of batches that have come. */
  readonly #known = new Set<string>();

  constructor(seed: number, file: string, secrets: ReadonlyMap<string, string>) {
    this.#random = new Random(seed);
    this.checker = new Checker(() => `seed ${seed}, step ${this.#step}, ${(simulatedMs() / 1000).toFixed(3)} s`);
    this.#network = new Network(this.#random);
    this.#folder = join(root, String(seed));
    mkdirSync(this.#folder);
    this.#disk = new ServerDisk(this.#folder, file, this.#random, () => this.#onServerKilled());
    const onBroken = (promise: string) => this.checker.fail(promise);
    const note = (event: string) => this.checker.note(event);
    this.#receiver = new Receiver({
      network: this.#network,
      random: this.#random,
      server: () => this.#running,
      onBroken,
      note,
    });
    const ship = (from: SimProcess, batch: SentBatch) => this.#send(from, batch);
    const onKill = (agent: SimAgent) => {
      note(`${agent.name} is killed`);
      this.#startsMs.set(agent, simulatedMs() + this.#random.upTo(20_000));
    };
    this.#agents = AGENTS.map(
      (name) => new SimAgent(name, secrets.get(name) ?? '', this.#random, { ship, onBroken, onKill }),
    );
    this.#client = new TokenClient({
      random: this.#random,
      send: ship,
      newToken: (from) => this.#newToken(from),
      text: () => this.#text(),
    });
  }

  async run(ms: number): Promise<void> {
    this.#startServer(false);
    for (const agent of this.#agents) agent.start(false);
    this.#client.start();
    while (simulatedMs() < ms && this.checker.broken === undefined) {
      this.#step += 1;
      this.#act();
      await run(100 + this.#random.upTo(3_000));
      this.#startDue();
    }
    await this.#end();
  }

  remove(): void {
    this.#disk.remove();
    rmSync(this.#folder, { recursive: true });
  }

  /** Lets everything arrive, and compares the whole. */
  async #end(): Promise<void> {
    this.#network.isCalm = true;
    this.#network.isPartitioned = false;
    this.#disk.isFull = false;
    this.#disk.failingSyncs = 0;
    this.#client.isStopping = true;
    for (const agent of this.#agents) agent.disk.isFull = false;
    for (let n = 0; n < END_STEPS_MAX && this.checker.broken === undefined; n += 1) {
      this.#step += 1;
      await run(END_STEP_MS);
      this.#startDue();
      const running = this.#running;
      if (running === undefined || !this.#client.isIdle || !this.#agents.every(({ isIdle }) => isIdle)) continue;
      const ended = await this.#inTime(runAs(running.process, () => this.#checkEnd(running.server)));
      if (ended === true) return;
      this.#stepClock(END_AHEAD_MS);
    }
    this.checker.fail('everything arrives once nothing fails any more');
  }

  #checkEnd(server: SimServer): Promise<boolean> {
    return checkEnd({
      server,
      checker: this.checker,
      messages: [...this.#receiver.messages.values()],
      agents: this.#agents,
      clientLines: this.#client.lines,
    });
  }

  /** Waits for work that needs simulated time. */
  async #inTime<T>(work: Promise<T>): Promise<T | undefined> {
    let done: { readonly value: T } | undefined;
    work.then(
      (value) => {
        done = { value };
      },
      (error: unknown) => this.checker.fail(`the answer can be read: ${String(error)}`),
    );
    await run(5_000);
    return done?.value;
  }

  #text(): string {
    this.#errors += 1;
    // New errors appear one after the other.
    return `${KINDS[this.#random.upTo(Math.min(KINDS.length - 1, Math.floor(this.#errors / 60)))]} failed`;
  }

  #act(): void {
    const random = this.#random;
    for (const agent of this.#agents) {
      const { texts } = agent.log;
      for (let n = random.upTo(2); n > 0; n -= 1) texts.push(`ERROR ${agent.name} #${texts.length} ${this.#text()}`);
    }
    const agent = this.#agents[random.upTo(AGENTS.length - 1)] as SimAgent;
    const action = random.upTo(39);
    if (action === 0) this.#disk.killAfter(random.upTo(200));
    else if (action === 1) this.#disk.killAfter(random.upTo(20));
    else if (action === 2) agent.disk.killAfter(random.upTo(12));
    else if (action === 3) agent.disk.killAfter(random.upTo(40));
    else if (action === 4) agent.disk.isFull = !agent.disk.isFull;
    else if (action === 5) this.#disk.isFull = !this.#disk.isFull;
    else if (action === 6) this.#network.isPartitioned = !this.#network.isPartitioned;
    else if (action === 7) this.#disk.failingSyncs = random.upTo(2);
    else if (action === 8) this.#stepClock(random.upTo(1_200_000) - 600_000);
    else if (action === 9) agent.process.clockAheadMs += random.upTo(600_000) - 300_000;
    else if (action === 10) agent.log.oldest = Math.max(agent.log.oldest, agent.log.texts.length - random.upTo(20));
    else if (action < 14) this.#revoke();
    // A disk that is full, and a network that is cut, stay so for a while.
    else if (action < 18) this.#disk.isFull = false;
    else if (action < 22) this.#network.isPartitioned = false;
    else if (action < 24) agent.disk.isFull = false;
  }

  #stepClock(byMs: number): void {
    this.#aheadMs += byMs;
    if (this.#running !== undefined) this.#running.process.clockAheadMs = this.#aheadMs;
  }

  #startDue(): void {
    for (const [what, atMs] of this.#startsMs) {
      if (atMs > simulatedMs()) continue;
      this.#startsMs.delete(what);
      const hasLostPower = this.#random.chance(0.5);
      if (what === 'server') this.#startServer(hasLostPower);
      else what.start(hasLostPower);
    }
  }

  #onServerKilled(): void {
    this.checker.note('the server is killed');
    const killed = this.#running?.process ?? this.#starting;
    this.#running = undefined;
    this.#starting = undefined;
    this.#startsMs.set('server', simulatedMs() + this.#random.upTo(15_000));
    if (killed === undefined) return;
    killed.isAlive = false;
    this.#network.drop(killed);
  }

  #startServer(hasLostPower: boolean): void {
    if (simulatedMs() > 0) this.#disk.restart(hasLostPower);
    const process: SimProcess = { name: 'server', isAlive: true, clockAheadMs: this.#aheadMs };
    this.#starting = process;
    const start = async () => {
      const db = await openDisk(this.#disk);
      const server = await startSimServer(db, this.#receiver.transports(process));
      if (!process.isAlive) return;
      this.#running = { process, server };
      this.checker.checkStored(await server.lines(), new Set(AGENTS));
    };
    runAs(process, start).catch(() => {
      // The service manager starts it again.
      if (process.isAlive) this.#disk.kill();
    });
  }

  /** Sends a request to the server. */
  #call<T>(from: SimProcess, handle: (server: SimServer) => Promise<T>, mayRepeat = false): Promise<T> {
    return this.#network.call({
      from,
      to: () => this.#running?.process,
      handle: () => (this.#running === undefined ? Promise.reject(new Error('stopped')) : handle(this.#running.server)),
      timeoutMs: REQUEST_MS,
      mayRepeat,
    });
  }

  async #send(from: SimProcess, batch: SentBatch): Promise<ErrlogReceipt> {
    const receipt = await this.#call(from, (server) => this.#append(server, batch), true);
    this.checker.note(`${from.name} has ${JSON.stringify(receipt)} for ${batch.key}`);
    this.checker.acknowledge(from.name, batch, receipt);
    return receipt;
  }

  /** The request as the server gets it. */
  async #append(server: SimServer, batch: SentBatch): Promise<ErrlogReceipt> {
    const token = this.#tokens.get(batch.secret);
    const wasRevoked = token?.revokedMs !== undefined && Date.now() > token.graceUntilMs;
    const wasDoubtful = token?.isDoubtful === true;
    this.#endanger(batch);
    try {
      const receipt = await server.append(batch);
      if (wasRevoked) this.checker.fail(`a revoked token is refused: token ${token.id}`);
      return receipt;
    } catch (error) {
      const refusal = refusalOf(error);
      const isRefused = refusal.status === 401 || refusal.status === 403;
      if (isRefused && !wasDoubtful && token?.isDoubtful !== true) this.checker.fail('a valid credential is accepted');
      throw refusal;
    }
  }

  /** Lets something fail now and then while new errors are stored and announced, which takes a moment only. */
  #endanger({ body }: SentBatch): void {
    const errors = Array.from(body.toString().matchAll(/([a-z]+) #\d+ ([a-z]+)/g), ([, ...words]) => words.join(' '));
    const isKnown = errors.every((error) => this.#known.has(error));
    if (isKnown || this.#network.isCalm) return;
    for (const error of errors) this.#known.add(error);
    if (this.#random.chance(0.15)) this.#disk.killAfter(this.#random.upTo(60));
    else if (this.#random.chance(0.05)) this.#disk.failingSyncs = 1;
  }

  async #newToken(from: SimProcess): Promise<string> {
    const call = { body: { name: CLIENT }, params: {}, query: {}, actor: ADMIN, request: requestOf('create') };
    const { id, token } = await this.#call(from, (server) => refused(server.tokens.create(call as never)));
    this.#tokens.set(token, { id, isDoubtful: false, revokedMs: undefined, graceUntilMs: 0 });
    return token;
  }

  /** Revokes a token in one of the ways. */
  #revoke(): void {
    const [secret, token] = [...this.#tokens].at(-1) ?? [];
    if (secret === undefined || token === undefined || token.isDoubtful) return;
    token.isDoubtful = true;
    const way = this.#random.upTo(3);
    const grace = way === 3 ? GRACE_S : 0;
    const call = { params: { id: token.id }, body: { grace }, query: {}, actor: ADMIN, request: requestOf('revoke') };
    const handle = async ({ tokens }: SimServer) => {
      // The grace begins with the request.
      const graceUntilMs = Date.now() + grace * 1000;
      if (way === 0) await refused(tokens.remove(call as never));
      else if (way === 1) await refused(tokens.disable(call as never));
      else await refused(tokens.rotate(call as never));
      // The answer must outlast a kill in the next moment.
      if (this.#random.chance(0.2)) this.#disk.killAfter(this.#random.upTo(20));
      return graceUntilMs;
    };
    runAs(this.#admin, () => this.#call(this.#admin, handle)).then(
      (graceUntilMs) => {
        this.checker.note(`token ${token.id} is revoked`);
        token.graceUntilMs = graceUntilMs;
        token.revokedMs = simulatedMs();
      },
      () => undefined,
    );
  }
}

const refused = <T>(answer: Promise<T>): Promise<T> =>
  answer.catch((error: unknown) => {
    throw refusalOf(error);
  });

/** The refusal as a client gets it. */
function refusalOf(error: unknown): ApiError {
  const { status, code, message, retryAfterS }: AppError = toAppError(error, fromDatabase);
  const retryAfterMs = retryAfterS === undefined ? undefined : retryAfterS * 1000;
  return new ApiError({ status, code, message, retryAfterMs }, { method: 'POST', url: 'http://sim/' });
}
