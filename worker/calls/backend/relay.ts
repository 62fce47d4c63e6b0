/** A backend that relays speak to. */
import type { MessageInitShape } from '@bufbuild/protobuf';
import { kindSpec } from '../../../kinds/index.ts';
import { TIMEOUT_MAX_MS } from '../../../kinds/members.ts';
import type { InspectedTables, InspectPage, RowForm } from '../../../proto/driver.ts';
import type {
  RunOnceResponse,
  RunResponse,
  TargetSchema,
} from '../../../proto/gen/relay/v1/relay_pb.ts';
import type { Context } from '../../context.ts';
import { type Deadline, startDeadline } from '../../drivers/deadline.ts';
import type { Node } from '../../drivers/node.ts';
import { type Opened, open } from '../../drivers/pieces.ts';
import { demandJson, readJson } from '../../drivers/read-json.ts';
import { type Attempt, callRelay, type RoutePlan } from '../../drivers/relay.ts';
import { nameIn, timeIn, warningsIn } from '../../drivers/told-names.ts';
import { noteUnread } from '../../drivers/unread.ts';
import { readInTurn } from '../../limits/heavy-work.ts';
import { watchOf } from '../../nodes/reach.ts';
import type { Timing } from '../../outcome.ts';
import { opened, type Subscription } from '../events.ts';
import { gather } from '../gather.ts';
import type {
  Backend,
  Form,
  Leased,
  OnceMessage,
  OnceResult,
  Pinged,
  RequestMessage,
  Result,
  Target,
  TransactionMessage,
} from './backend.ts';
import { collectKept } from './collect.ts';
import { tablesIn } from './inspected.ts';
import { lostOnce } from './lost.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Of one request: its context goes with every call. */
export class RelayBackend implements Backend {
  /** Relays are told the deadline. */
  readonly keepsTime = false;
  readonly timing: Timing = {};
  readonly ctx: Context;
  readonly target: Target;
  readonly #nodes: readonly Node[];
  readonly #leaseId: string;

  /** @param nodes in the order in which they are tried @param leaseId of the connection that runs it, if one does */
  constructor(ctx: Context, target: Target, nodes: readonly Node[], leaseId = '') {
    this.ctx = ctx;
    this.target = target;
    this.#nodes = nodes;
    this.#leaseId = leaseId;
  }

  run(message: RequestMessage, deadline: Deadline): Promise<Result> {
    return this.#result(deadline, message, ({ relay, options, ...attempt }) =>
      relay.run(this.#message(message, attempt), options),
    );
  }

  stream(message: RequestMessage, rowForm: RowForm, deadline: Deadline): Promise<Opened> {
    return this.#call(this.target.mode === 'write', deadline, ({ relay, options, ...attempt }) =>
      open(relay.runStream({ ...this.#message(message, attempt), rowForm }, options)),
    );
  }

  transact(message: TransactionMessage, deadline: Deadline): Promise<Result> {
    const operations = this.#operations(message);
    return this.#result(deadline, message, ({ relay, options, ...attempt }) =>
      relay.transact(
        { target: this.#told(attempt), operations, ...this.#bounds(message) },
        options,
      ),
    );
  }

  async once(message: OnceMessage, deadline: Deadline): Promise<OnceResult> {
    const { mark } = message;
    const work =
      'requests' in message
        ? { operations: this.#operations(message) }
        : { request: bytesOf(message) };
    // Sent again it changes nothing: it moves on as a read does. Spec: nodes.md §3
    const sent = this.#call(false, deadline, async (attempt) => {
      const { relay, options, node } = attempt;
      const asked = { target: this.#told(attempt), mark, ...work, ...this.#bounds(message) };
      return this.#taken(node, await relay.runOnce(asked, options), message, { sent: true });
    });
    const { result, backendUs, replayed } = await sent.catch((thrown: unknown) => {
      throw lostOnce(thrown);
    });
    this.timing.backend = Number(backendUs) / 1000;
    return { result, isReplay: replayed };
  }

  #operations({ requests, written }: TransactionMessage): Uint8Array {
    // As its client wrote it, a transaction has more members.
    const { keepsText } = kindSpec(this.target.kind);
    return (
      written ?? encoder.encode(JSON.stringify(keepsText ? { operations: requests } : requests))
    );
  }

  watch(message: RequestMessage, resumeAfter: string, deadline: Deadline): Promise<Subscription> {
    const request = bytesOf(message);
    return this.#call(false, deadline, ({ relay, options, node, ...attempt }) => {
      // A deadline that the relay were told would end the events, too.
      const { timeoutMs: _, ...lasting } = options;
      const asked = { target: this.#address(attempt), request, resumeAfter };
      return opened(relay.watch(asked, lasting), (event) => this.#demandJson(node, event, false));
    });
  }

  inspect({ after = ['', ''], limit }: InspectPage, deadline: Deadline): Promise<InspectedTables> {
    const [afterNamespace, afterName] = after;
    return this.#call(false, deadline, async ({ relay, options, ...attempt }) => {
      const asked = { target: this.#address(attempt), afterNamespace, afterName, limit };
      const answer = await relay.inspect(asked, options);
      this.timing.backend = Number(answer.backendUs) / 1000;
      const { byteLength } = answer.tables;
      const json = await readJson(this.ctx, decoder.decode(answer.tables), false);
      const tables = await readInTurn(this.ctx, byteLength, tablesIn(json, limit));
      return { tables, more: answer.more };
    });
  }

  async ping(deadline: Deadline): Promise<Pinged> {
    const { latencyUs, warnings } = await this.#call(
      false,
      deadline,
      ({ relay, options, ...attempt }) => relay.ping({ target: this.#address(attempt) }, options),
    );
    return {
      ms: Number(latencyUs) / 1000,
      warnings: warningsIn(warnings),
    };
  }

  /** Nothing is written: a lease whose name was lost ends by itself. */
  lease(deadline: Deadline): Promise<Leased> {
    return this.#call(false, deadline, async ({ relay, options, node, ...attempt }) => {
      const held = await relay.openSession({ target: this.#address(attempt) }, options);
      const { sessionId, expiresMs } = held;
      return { node: node.uuid, leaseId: nameIn(sessionId, false), expiresAt: timeIn(expiresMs) };
    });
  }

  async endLease(leaseId: string, deadline: Deadline): Promise<boolean> {
    const { endpoint } = this.target;
    const ended = await this.#call(false, deadline, ({ relay, options }) =>
      relay.closeSession({ sessionId: leaseId, endpoint }, options),
    );
    return ended.found;
  }

  /** A call for which there is no method here; `address` names the backend. */
  ask<Answer>(
    writes: boolean,
    deadline: Deadline,
    call: (attempt: Addressed) => Promise<Answer>,
  ): Promise<Answer> {
    return this.#call(writes, deadline, (attempt) =>
      call({ ...attempt, address: this.#address(attempt), told: () => this.#told(attempt) }),
    );
  }

  #call<Answer>(
    writes: boolean,
    deadline: Deadline,
    call: (attempt: Attempt) => Promise<Answer>,
  ): Promise<Answer> {
    return callRelay(this.ctx, this.#plan(this.#nodes, writes, deadline), call);
  }

  #plan(nodes: readonly Node[], writes: boolean, deadline: Deadline): RoutePlan {
    const { connection } = this.target;
    const { timing } = this;
    const plan = { nodes, subject: this.target, writes, deadline, timing, connection };
    // An endpoint that was never placed has one node, and nothing to choose by.
    const isPlain = nodes.length === 1 && nodes[0]?.default === true;
    return isPlain ? plan : { ...plan, watch: watchOf(this.ctx, this.target.endpoint) };
  }

  async #result(
    deadline: Deadline,
    form: Form,
    send: (attempt: Attempt) => Promise<RunResponse>,
  ): Promise<Result> {
    const writes = this.target.mode === 'write';
    // A result that cannot be collected is one that did not come: a read has it from another node.
    const { result, backendUs } = await this.#call(writes, deadline, async (attempt) => {
      return this.#taken(attempt.node, await send(attempt), form, { sent: writes });
    });
    this.timing.backend = Number(backendUs) / 1000;
    return result;
  }

  /**
   * Fetches a kept result from the node that keeps it. The deadline was the backend's: how long
   * the client takes to read is bounded by the longest there is.
   * @param written whether something has taken effect that cannot be asked for again
   */
  async collect(
    node: Node,
    collectId: string,
    written = this.target.mode === 'write',
  ): Promise<ReadableStream<Uint8Array>> {
    const deadline = startDeadline(this.ctx, TIMEOUT_MAX_MS);
    const plan = this.#plan([node], false, deadline);
    const stream = await collectKept(this.ctx, plan, { collectId, written });
    if (!node.default) noteUnread(stream, written);
    return stream;
  }

  /** As `collect`, kept in memory as a whole. */
  async collectText(node: Node, collectId: string): Promise<string> {
    return gather(this.ctx, await this.collect(node, collectId));
  }

  /**
   * An answer with its result. Of one that is here already it is looked at whether it is JSON, where the node may answer anything.
   * @throws GatewayError as `noReply` has it
   */
  async #taken<Answer extends RunResponse | RunOnceResponse>(
    node: Node,
    answer: Answer,
    { replyForm }: Form,
    { sent }: { readonly sent: boolean },
  ): Promise<Omit<Answer, 'result'> & { readonly result: Result }> {
    const { collectId, result } = answer;
    // What is kept for a mark can be asked for again.
    const written = this.target.mode === 'write' && !('replayed' in answer);
    if (collectId !== '')
      return { ...answer, result: await this.collect(node, collectId, written) };
    // RESP2 is none.
    if (!node.default && replyForm !== 'resp2') await this.#demandJson(node, result, sent);
    return answer;
  }

  async #demandJson(node: Node, bytes: Uint8Array, sent: boolean): Promise<void> {
    if (!node.default) await demandJson(this.ctx, decoder.decode(bytes), sent);
  }

  #message(message: RequestMessage, attempt: Sealed) {
    return {
      target: this.#told(attempt),
      request: bytesOf(message),
      ...this.#bounds(message),
      sessionId: this.#leaseId,
    };
  }

  #bounds({ numbersAsStrings, canonical, replyForm }: Form) {
    const resultMaxBytes = BigInt(this.ctx.settings.RESULT_MAX_BYTES);
    return {
      resultMaxBytes,
      numbersAsStrings: numbersAsStrings || this.target.numbersAsStrings,
      canonical,
      replyForm: replyForm ?? '',
    };
  }

  /** The backend, and what it is told of who calls. @throws GatewayError FORBIDDEN */
  #told(attempt: Sealed): MessageInitShape<typeof TargetSchema> {
    const told = this.target.session();
    if (told === undefined) return this.#address(attempt);
    const { settings, role = '', maySet } = told;
    const names = settings.map(([name]) => name);
    const values = settings.map(([, value]) => value);
    return { ...this.#named(attempt), session: { names, values, role, maySet } };
  }

  #address(attempt: Sealed): MessageInitShape<typeof TargetSchema> {
    return this.#named(attempt);
  }

  #named({ sealedConnection }: Sealed) {
    const { kind, organization, endpoint, poolKey, mode, profile, caps } = this.target;
    return { kind, organization, endpoint, poolKey, mode, profile, caps, sealedConnection };
  }
}

/** A try, and what names the backend in its message. */
interface Addressed extends Attempt {
  readonly address: MessageInitShape<typeof TargetSchema>;
  /** The same with who calls: for what runs the caller's own statements. @throws GatewayError FORBIDDEN */
  told(): MessageInitShape<typeof TargetSchema>;
}

type Sealed = Pick<Attempt, 'sealedConnection'>;

function bytesOf({ request, written }: RequestMessage): Uint8Array {
  return written ?? encoder.encode(JSON.stringify(request));
}
