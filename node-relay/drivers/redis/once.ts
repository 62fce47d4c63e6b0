/** A write and its mark in one script. Spec: transactions.md §7. */
import type { RedisCommand, RedisRequest, Word } from '../../../kinds/redis/command.ts';
import { fromReply } from '../../../kinds/redis/dialect/errors.ts';
import { partlyApplied } from '../../../kinds/redis/dialect/partly-applied.ts';
import { resultOf, resultsOf } from '../../../kinds/redis/dialect/result.ts';
import { modeOf } from '../../../kinds/redis/effects.ts';
import { ReplyError, type ReplyValue } from '../../../kinds/redis/reply-value.ts';
import type { Call } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import {
  type KeepsOnce,
  ONCE_KEPT_MS,
  ONCE_REPLY_MAX_BYTES,
  type OnceAnswer,
  type OnceMark,
  type OnceWork,
} from '../../../proto/once.ts';
import type { ShareStatus } from '../../../proto/prepares.ts';
import { checkBody, tooLargeToKeep } from '../kept-reply.ts';
import { forestalling, lacksPlace, statusOfBody, untilKnown } from '../once.ts';
import { Decoder } from './decode.ts';
import { bodyName, claimOf, type MarkNames, markNames, readClaim } from './once-name.ts';
import { ONCE_SCRIPT, ONCE_SCRIPT_SHA, SETTLE_SCRIPT } from './once-script.ts';
import { openReply, replyKeys } from './once-seal.ts';
import { type Scripted, scripted } from './once-work.ts';
import { type RedisBackend, runRequest } from './run.ts';
import { sendOn } from './send.ts';
import { withLeastTime } from './transact.ts';
import { keyBytes } from './words.ts';

const KEPT_SECONDS = String(ONCE_KEPT_MS / 1000);

/** Writes of one pool that leave marks. */
export class RedisOnce implements KeepsOnce<RedisRequest> {
  readonly #backend: RedisBackend;

  constructor(backend: RedisBackend) {
    this.#backend = backend;
  }

  async once(work: OnceWork<RedisRequest>, mark: OnceMark, call: Call): Promise<OnceAnswer> {
    // What changes nothing has nothing to be kept with.
    if ('request' in work && modeOf(work.request) === 'read') {
      return { result: await runRequest(this.#backend, work.request, call), isReplay: false };
    }
    const plan = scripted(work, call.mode);
    const limited = withLeastTime('operations' in work ? plan.commands : [], call);
    const write = new MarkedWrite(this.#backend, plan, mark, limited.call);
    try {
      return await untilKnown(limited.call, () => write.attempt());
    } finally {
      limited.end();
    }
  }

  settleMark(mark: OnceMark, _recovery: string, call: Call): Promise<ShareStatus> {
    return settle(this.#backend, mark, call);
  }
}

/** What a mark says; one that is not there never comes after that. */
async function settle({ server }: RedisBackend, mark: OnceMark, call: Call): Promise<ShareStatus> {
  const { body: forestalled } = forestalling(mark);
  const body = bodyName(mark);
  const [made = null, claim = null] = await sendOn(
    server,
    [
      { type: 'set', args: [body, forestalled, 'NX', 'EX', KEPT_SECONDS] },
      { type: 'get', args: [body] },
    ],
    call,
  );
  if (made instanceof ReplyError) throw refusalOf(made, mark);
  if (claim instanceof ReplyError) throw refusalOf(claim, mark);
  const claimed = readClaim(replyText(claim));
  if (made !== null || claimed.body === forestalled) return 'rolled_back';
  // Claimed by a relay of an earlier version, which does not say where.
  if (claimed.mark === undefined) return 'open';
  const args = [SETTLE_SCRIPT, '1', claimed.mark, forestalled, KEPT_SECONDS];
  const [said = null] = await sendOn(server, [{ type: 'eval', args }], call);
  if (said instanceof ReplyError) throw refusalOf(said, mark);
  return statusOfBody(replyText(said), mark);
}

/** One write, which may be tried several times. */
class MarkedWrite {
  readonly #backend: RedisBackend;
  readonly #plan: Scripted;
  readonly #mark: OnceMark;
  readonly #call: Call;
  readonly #names: MarkNames;
  /** It was this call that told which body the key stands for. */
  #isFirst = false;

  /** @throws GatewayError BAD_REQUEST */
  constructor(backend: RedisBackend, plan: Scripted, mark: OnceMark, call: Call) {
    this.#backend = backend;
    this.#plan = plan;
    this.#mark = mark;
    this.#call = call;
    this.#names = markNames(plan.commands, mark);
  }

  async attempt(): Promise<OnceAnswer> {
    const { commands, isTransaction } = this.#plan;
    if (isTransaction) await checkQueued(this.#backend, commands, this.#call);
    await this.#claimBody();
    const [state, first, ...kept] = await this.#run();
    if (replyText(state) === 'kept') return this.#answerOf(replyText(first), kept);
    const replies = repliesIn(bytesOf(first));
    if (replyText(state) === 'done') return { result: this.#told(replies), isReplay: false };
    await this.#forgetBody();
    throw this.#failure(replies);
  }

  /** @throws GatewayError IDEMPOTENCY_KEY_REUSED, BAD_REQUEST */
  async #claimBody(): Promise<void> {
    const { body } = this.#names;
    const [made = null, kept = null] = await this.#send([
      { type: 'set', args: [body, claimOf(this.#names, this.#mark), 'NX', 'EX', KEPT_SECONDS] },
      { type: 'get', args: [body] },
    ]);
    if (made instanceof ReplyError) throw refusalOf(made, this.#mark);
    if (kept instanceof ReplyError) throw refusalOf(kept, this.#mark);
    if (made !== null) this.#isFirst = true;
    // One that has gone meanwhile stood for nothing.
    else if (kept !== null) checkBody(readClaim(replyText(kept)).body, this.#mark);
  }

  /** A write that failed may be sent again with another body; one that is settled stands for one write. */
  async #forgetBody(): Promise<void> {
    if (!this.#isFirst || this.#mark.settled) return;
    await this.#send([{ type: 'del', args: [this.#names.body] }]);
  }

  async #run(): Promise<readonly ReplyValue[]> {
    const { isPipeline, commands } = this.#plan;
    const { nonce, encrypts, authenticates } = replyKeys(this.#mark);
    const args = [
      ...['1', this.#names.mark, this.#mark.body, KEPT_SECONDS, String(ONCE_REPLY_MAX_BYTES)],
      ...[nonce, encrypts, authenticates, isPipeline ? '0' : '1', String(commands.length)],
      ...commands.flatMap(counted),
    ];
    const known: RedisCommand = { type: 'evalsha', args: [ONCE_SCRIPT_SHA, ...args] };
    let [reply = null] = await this.#send([known]);
    if (reply instanceof ReplyError && reply.code === 'NOSCRIPT') {
      [reply = null] = await this.#send([{ type: 'eval', args: [ONCE_SCRIPT, ...args] }]);
    }
    if (reply instanceof ReplyError) throw refusalOf(reply, this.#mark);
    if (!Array.isArray(reply)) throw new Error('the script answered no list');
    return reply;
  }

  #answerOf(
    body: string,
    [nonce = null, reply = null, seal = null]: readonly ReplyValue[],
  ): OnceAnswer {
    checkBody(body, this.#mark);
    if (nonce === null || reply === null || seal === null) throw tooLargeToKeep();
    const kept = { nonce: replyText(nonce), reply: bytesOf(reply), seal: replyText(seal) };
    return { result: this.#told(repliesIn(openReply(kept, this.#mark))), isReplay: true };
  }

  #told(replies: readonly ReplyValue[]): Uint8Array {
    const { commands, isPipeline, isTransaction } = this.#plan;
    if (isPipeline) return resultsOf(commands, replies, this.#call, ['{"results":[', ']}']);
    if (isTransaction) return resultsOf(commands, replies, this.#call, ['[', ']']);
    const [command = { type: '', args: [] }] = commands;
    return resultOf(command, replies[0] ?? null, this.#call);
  }

  #failure(replies: readonly ReplyValue[]): GatewayError {
    const { commands, isTransaction } = this.#plan;
    if (isTransaction) return partlyApplied(commands, replies, this.#call);
    const failed = replies.find((reply) => reply instanceof ReplyError);
    return failed ? fromReply(failed) : new GatewayError('REQUEST_FAILED', 'The write failed');
  }

  #send(commands: readonly RedisCommand[]): Promise<readonly ReplyValue[]> {
    return sendOn(this.#backend.server, commands, this.#call);
  }
}

/** The number of a command's words, and the words. */
function counted({ type, args }: RedisCommand): Word[] {
  const words = [...type.split(' ').filter((word) => word !== ''), ...args];
  return [String(words.length), ...words];
}

function bytesOf(reply: ReplyValue | undefined): Uint8Array {
  if (reply instanceof Uint8Array) return reply;
  return Buffer.from(replyText(reply));
}

function replyText(reply: ReplyValue | undefined): string {
  if (reply instanceof Uint8Array) return Buffer.from(reply).toString();
  return typeof reply === 'string' ? reply : '';
}

function refusalOf(error: ReplyError, { place }: OnceMark): GatewayError {
  if (error.code !== 'NOPERM') return fromReply(error);
  const statement = `ACL SETUSER <user> ~${place}:* +set +get +del +hmget +hset +expire +eval +evalsha`;
  return lacksPlace(`keys ${place}:*`, 'the user may not use them', statement);
}

/** What a node says of keys that are elsewhere: nothing about the command. */
const ELSEWHERE = new Set(['MOVED', 'ASK', 'TRYAGAIN']);

/** @throws GatewayError with `operation` in its details: what MULTI refuses, so that nothing of it is done */
async function checkQueued(
  { server }: RedisBackend,
  commands: readonly RedisCommand[],
  call: Call,
): Promise<void> {
  const link = await server.borrow(commands.flatMap(keyBytes), call.signal);
  let isClean = false;
  try {
    const asked = [{ type: 'multi', args: [] }, ...commands, { type: 'discard', args: [] }];
    const [begun = null, ...queued] = await sendOn(link, asked, call);
    isClean = true;
    if (begun instanceof ReplyError) throw fromReply(begun);
    for (const operation of commands.keys()) {
      const reply = queued[operation];
      if (reply instanceof ReplyError && !ELSEWHERE.has(reply.code)) {
        throw fromReply(reply, { operation });
      }
    }
  } finally {
    link.release(isClean);
  }
}

/** The replies, one after the other. @throws ProtocolError */
function repliesIn(text: Uint8Array): readonly ReplyValue[] {
  const replies: ReplyValue[] = [];
  const decoder = new Decoder({
    // What came already is not held back.
    room: () => Number.POSITIVE_INFINITY,
    dropped: () => {},
    reply: (value) => replies.push(typeof value === 'symbol' ? null : value),
    push: () => {},
  });
  decoder.write(Buffer.from(text));
  return replies;
}
