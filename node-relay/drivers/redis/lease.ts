/** A session that one caller holds for a while: MULTI, WATCH, SELECT, subscriptions and tracking from call to call. Contract §6, "Sessions". */

import type { AllowGuard } from '../../../kinds/redis/allow-guard.ts';
import { isPipeline, type RedisCommand, type RedisRequest } from '../../../kinds/redis/command.ts';
import { canonicalName, type Effect } from '../../../kinds/redis/dialect/effects.ts';
import { fromReply } from '../../../kinds/redis/dialect/errors.ts';
import { pushJson } from '../../../kinds/redis/dialect/messages.ts';
import {
  entryOf,
  resultOf,
  resultsOf,
  withinResultMax,
} from '../../../kinds/redis/dialect/result.ts';
import { ReplyError, type ReplyValue } from '../../../kinds/redis/reply-value.ts';
import type { Call, Lease } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { checkCommand } from './guard.ts';
import { vetted } from './hosts.ts';
import type { BorrowedLink } from './link.ts';
import type { RedisBackend } from './run.ts';
import { sendOn } from './send.ts';
import { boundedWait } from './wait.ts';
import { keyBytes } from './words.ts';

/** Bytes of pushes that wait for their caller's next request; more end the session. Spec silent. */
const PUSHES_MAX_BYTES = 1_048_576;

/** Keeps what its calls set, until it is closed; then all of it is undone. */
export class RedisLease implements Lease<RedisRequest> {
  readonly #backend: RedisBackend;
  #link: BorrowedLink;
  #turn: Promise<unknown> = Promise.resolve();
  #running = false;
  /** Commands that wait for EXEC; undefined outside of MULTI. */
  #queued: RedisCommand[] | undefined;
  /** Nothing yet that another connection would not have. */
  #pristine = true;
  #pushes: string[] = [];
  #pushBytes = 0;

  readonly #allowGuard: AllowGuard | undefined;

  private constructor(backend: RedisBackend, link: BorrowedLink, allowGuard?: AllowGuard) {
    this.#backend = backend;
    this.#allowGuard = allowGuard;
    this.#link = link;
    this.#hear();
  }

  /** @throws GatewayError CONNECTION_FAILED, POOL_EXHAUSTED */
  static async open(
    backend: RedisBackend,
    call: Call,
    allowGuard?: AllowGuard,
  ): Promise<RedisLease> {
    return new RedisLease(backend, await backend.server.borrow([], call.signal), allowGuard);
  }

  /** @throws GatewayError SESSION_NOT_FOUND once the connection is lost or a call on it was stopped */
  run(request: RedisRequest, call: Call): Promise<Uint8Array> {
    const result = this.#turn.then(() => this.#run(request, call));
    this.#turn = result.catch(() => {});
    return result;
  }

  async close(): Promise<void> {
    if (this.#running) this.#link.cut();
    await this.#turn;
    // Whatever was said on it, the next caller meets none of it.
    this.#link.release(false);
  }

  async #run(request: RedisRequest, call: Call): Promise<Uint8Array> {
    if (this.#link.lost) {
      throw new GatewayError('SESSION_NOT_FOUND', 'The session has ended with its connection');
    }
    this.#allowGuard?.admit(request);
    if (call.mode === 'read' && this.#queued !== undefined) {
      throw new GatewayError(
        'TRANSACTION_OPEN',
        'A transaction is open in this session; send reads to /write',
      );
    }
    this.#running = true;
    try {
      return isPipeline(request)
        ? await this.#pipeline(request.pipeline, call)
        : await this.#command(request, request.timeout_ms, call);
    } finally {
      this.#running = false;
      // A reply that comes too late must not be taken for another call's.
      if (call.signal.aborted) this.#link.cut();
    }
  }

  async #command(
    request: RedisCommand,
    timeoutMs: number | undefined,
    call: Call,
  ): Promise<Uint8Array> {
    const effect = checkCommand(request, call.mode, 'session');
    const addressed = await vetted(request, this.#backend.host, call.signal);
    // Within MULTI nothing waits.
    const { command, check } =
      this.#queued === undefined
        ? boundedWait(addressed, timeoutMs)
        : { command: addressed, check: () => {} };
    const [reply = null] = await this.#send([command], call);
    check(reply);
    if (leavesTraces(effect)) this.#pristine = false;
    const entry = this.#entry(request, reply, call);
    if (reply instanceof ReplyError) throw fromReply(reply);
    if (call.replyForm !== undefined) return resultOf(request, reply, call);
    return withinResultMax(call, Buffer.from(entry.slice(0, -1) + this.#told()));
  }

  async #pipeline(commands: readonly RedisCommand[], call: Call): Promise<Uint8Array> {
    const effects = commands.map((each, index) =>
      checkCommand(each, call.mode, 'session pipeline', `pipeline.${index}.type`),
    );
    const { host } = this.#backend;
    const addressed = await Promise.all(commands.map((each) => vetted(each, host, call.signal)));
    const replies = await this.#send(addressed, call);
    if (effects.some(leavesTraces)) this.#pristine = false;
    const entries = commands.map((each, at) => this.#entry(each, replies[at] ?? null, call));
    if (call.replyForm !== undefined) return resultsOf(commands, replies, call, ['', '']);
    return withinResultMax(call, Buffer.from(`{"results":[${entries.join(',')}]${this.#told()}`));
  }

  /** In a cluster, a session that has nothing to lose goes where its first keys are. */
  async #send(commands: readonly RedisCommand[], call: Call): Promise<readonly ReplyValue[]> {
    const replies = await sendOn(this.#link, commands, call);
    const isElsewhere = replies.every(
      (each) => each instanceof ReplyError && each.code === 'MOVED',
    );
    if (!this.#pristine || !isElsewhere) return replies;
    const link = await this.#backend.server.borrow(commands.flatMap(keyBytes), call.signal);
    this.#link.onPush = undefined;
    this.#link.release(true);
    this.#link = link;
    this.#hear();
    return sendOn(link, commands, call);
  }

  /** Takes note of a reply, and answers it in its place; of EXEC's replies each by its own command. */
  #entry(command: RedisCommand, reply: ReplyValue, call: Call): string {
    const queued = this.#queued;
    this.#note(command, reply);
    if (queued === undefined || canonicalName(command) !== 'exec' || !Array.isArray(reply)) {
      return entryOf(command, reply, call);
    }
    const results: readonly ReplyValue[] = reply;
    const texts = results.map((each, index) => resultText(queued[index] ?? command, each, call));
    return `{"result":[${texts.join(',')}]}`;
  }

  #note(command: RedisCommand, reply: ReplyValue): void {
    const name = canonicalName(command);
    if (name === 'multi' && !(reply instanceof ReplyError)) this.#queued = [];
    else if (name === 'exec' || name === 'discard') this.#queued = undefined;
    else if (!(reply instanceof ReplyError)) this.#queued?.push(command);
  }

  #hear(): void {
    this.#link.onPush = (push) => {
      const text = pushJson(push);
      if (text === undefined) return;
      this.#pushes.push(text);
      this.#pushBytes += text.length;
      // The caller must not think that this is all.
      if (this.#pushBytes > PUSHES_MAX_BYTES) this.#link.cut();
    };
  }

  /** What was pushed since the last request, as a member next to its result, and the end of both. */
  #told(): string {
    if (this.#pushes.length === 0) return '}';
    const text = `,"pushes":[${this.#pushes.join(',')}]}`;
    this.#pushes = [];
    this.#pushBytes = 0;
    return text;
  }
}

/** Whether a command leaves something that another connection would not have. */
function leavesTraces(effect: Effect): boolean {
  return effect !== 'none' && effect !== 'wait';
}

/** A result within EXEC's: an error replaces it. */
function resultText(command: RedisCommand, reply: ReplyValue, call: Call): string {
  const entry = entryOf(command, reply, call);
  return reply instanceof ReplyError ? entry : entry.slice('{"result":'.length, -1);
}
