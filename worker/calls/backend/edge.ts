/** A backend that the edge itself speaks to, by HTTP. */

import { kindSpec } from '../../../kinds/index.ts';
import {
  type BackendClient,
  type Call,
  can,
  type InspectedTables,
  type InspectPage,
  type RowForm,
} from '../../../proto/driver.ts';
import { GatewayError, outcomeUnknown } from '../../../proto/errors.ts';
import type { Context } from '../../context.ts';
import { type Deadline, timedOut } from '../../drivers/deadline.ts';
import { edgeClient } from '../../drivers/edge/clients.ts';
import { type EdgeDriver, Lost } from '../../drivers/edge/driver.ts';
import { type Opened, open } from '../../drivers/pieces.ts';
import { goingOn } from '../../limits/heavy-work.ts';
import type { Timing } from '../../outcome.ts';
import { beginSpan, type OpenSpan } from '../../tracing.ts';
import { opened, type Subscription } from '../events.ts';
import type {
  Backend,
  Form,
  Leased,
  Pinged,
  RequestMessage,
  Result,
  Target,
  TransactionMessage,
} from './backend.ts';
import { untilAborted } from './pull.ts';

/** Of results that the gateway reads itself: whatever the endpoint's configuration says. */
const PLAIN: Form = { numbersAsStrings: false, canonical: false };

/** Of one request. There are no connections to hold, so neither leases nor caps. */
export class EdgeBackend implements Backend {
  /** The backend does not know the deadline. */
  readonly keepsTime = true;
  readonly timing: Timing = {};
  readonly #ctx: Context;
  readonly target: Target;
  readonly #driver: EdgeDriver;
  /** Of the call that is made now. */
  #span: OpenSpan | undefined;

  constructor(ctx: Context, target: Target, driver: EdgeDriver) {
    this.#ctx = ctx;
    this.target = target;
    this.#driver = driver;
  }

  run(message: RequestMessage, deadline: Deadline): Promise<Result> {
    return this.#measured(this.target.mode === 'write', deadline, (client) =>
      client.run(message.request, this.#call(message, deadline)),
    );
  }

  stream(message: RequestMessage, form: RowForm, deadline: Deadline): Promise<Opened> {
    const writes = this.target.mode === 'write';
    return this.#measured(writes, deadline, (client) => {
      if (!can(client, 'stream')) throw this.#lacks('streams');
      if (form !== 'lines') throw this.#lacks('columns to tell of');
      const lines = client.stream(message.request, this.#call(message, deadline));
      return open(this.#told(lines, writes, deadline, (chunk) => ({ chunk })));
    });
  }

  transact(message: TransactionMessage, deadline: Deadline): Promise<Result> {
    return this.#measured(true, deadline, (client) => {
      if (!can(client, 'transact')) throw this.#lacks('transactions');
      return client.transact(message.requests, this.#call(message, deadline));
    });
  }

  async once(): Promise<never> {
    throw this.#lacks('writes that it keeps once');
  }

  watch(message: RequestMessage, resumeAfter: string, deadline: Deadline): Promise<Subscription> {
    return this.#measured(false, deadline, (client) => {
      if (!can(client, 'watch')) throw this.#lacks('subscriptions');
      const after = resumeAfter === '' ? undefined : resumeAfter;
      const events = client.watch(message.request, this.#call(message, deadline), after);
      return opened(
        this.#told(events, false, deadline, ({ id = '', data }) => ({ id, event: data })),
      );
    });
  }

  inspect(page: InspectPage, deadline: Deadline): Promise<InspectedTables> {
    return this.#measured(false, deadline, (client) => {
      if (!can(client, 'inspect')) throw this.#lacks('a schema to tell of');
      return client.inspect(page, this.#call(PLAIN, deadline));
    });
  }

  ping(deadline: Deadline): Promise<Pinged> {
    return this.#measured(false, deadline, async (client) => {
      const call = this.#call(PLAIN, deadline);
      const ms = await client.ping(call);
      return { ms, warnings: can(client, 'warnings') ? await client.warnings(call) : [] };
    });
  }

  async lease(): Promise<Leased> {
    throw this.#lacks('sessions');
  }

  async endLease(): Promise<boolean> {
    return false;
  }

  async #measured<Answer>(
    writes: boolean,
    deadline: Deadline,
    work: (client: BackendClient) => Promise<Answer>,
  ): Promise<Answer> {
    const ctx = this.#ctx;
    const client = await edgeClient(ctx, this.#driver, this.target, this.target.connection);
    deadline.remaining();
    const started = ctx.now();
    this.#span = beginSpan(ctx.trace, 'backend');
    let isError = true;
    try {
      const answer = await work(client);
      isError = false;
      return answer;
    } catch (thrown) {
      throw toldFailure(thrown, writes, deadline);
    } finally {
      this.timing.backend = ctx.now() - started;
      this.#span?.end({ 'causeway.kind': this.target.kind }, isError);
    }
  }

  /** What a driver reports piece by piece, until the call ends: it is not asked again then, and frees what it holds. */
  async *#told<Piece, Told>(
    pieces: AsyncIterable<Piece>,
    writes: boolean,
    deadline: Deadline,
    tell: (piece: Piece) => Told,
  ): AsyncGenerator<Told> {
    try {
      for await (const piece of untilAborted(pieces, deadline.signal)) yield tell(piece);
    } catch (thrown) {
      throw toldFailure(thrown, writes, deadline);
    }
  }

  #call(form: Form, { signal }: Deadline): Call {
    const { numbersAsStrings, canonical, replyForm } = form;
    const resultMaxBytes = this.#ctx.settings.RESULT_MAX_BYTES;
    return {
      mode: this.target.mode,
      signal,
      resultMaxBytes,
      numbersAsStrings: numbersAsStrings || (form !== PLAIN && this.target.numbersAsStrings),
      canonical,
      replyForm,
      trace: this.#span?.headers,
      inPieces: undefined,
      inTurn: (pieces) => goingOn(this.#ctx, pieces),
    };
  }

  #lacks(what: string): GatewayError {
    const { vendor, anyHost } = this.#driver;
    if (anyHost) {
      return new GatewayError('NOT_SUPPORTED', `Endpoints of this kind do not have ${what}`);
    }
    const { label } = kindSpec(this.target.kind);
    const message = `${vendor} does not have ${what} over HTTP: set config.transport to "relay" to reach it as ${label}`;
    return new GatewayError('NOT_SUPPORTED', message);
  }
}

/**
 * As for a relay: a write without a reply may have taken effect, and an unforeseen error
 * is not shown. A driver that knows better throws an error of its own.
 */
function toldFailure(thrown: unknown, writes: boolean, { signal }: Deadline): GatewayError {
  const isTold =
    thrown instanceof GatewayError && !(thrown instanceof Lost) && thrown !== signal.reason;
  if (isTold) return thrown;
  if (writes) return outcomeUnknown(thrown, signal.aborted);
  if (thrown instanceof GatewayError) return thrown;
  if (signal.aborted) return timedOut(thrown);
  return new GatewayError('INTERNAL', 'Something went wrong', { cause: thrown });
}
