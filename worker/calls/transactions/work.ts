/** Runs the operations of a transaction up to the point where all is prepared. Spec: transactions.md §1, §2. */
import type { Kind } from '../../../kinds/index.ts';
import { Pointed } from '../../../kinds/pointed.ts';
import { type PointTo, pointIn } from '../../../kinds/result-references.ts';
import { atOperation } from '../../../kinds/transaction.ts';
import type { JsonObject } from '../../../proto/json.ts';
import type { Context } from '../../context.ts';
import type { Deadline } from '../../drivers/deadline.ts';
import { goingOn, mayStore } from '../../limits/heavy-work.ts';
import type { Form, RequestMessage } from '../backend/backend.ts';
import { backendOf } from '../backend/choose.ts';
import { type PrepareSeat, preparingTogether, type SharePart } from '../backend/shares.ts';
import { gather } from '../gather.ts';
import { markLeftBy, markPlaceOf, recoveryWith } from './decider-mark.ts';
import { elementsInPieces } from './elements.ts';
import { withLevel, withType } from './no-read.ts';
import type { Mark } from './object.ts';
import type { Participant } from './participants.ts';
import type { Operation } from './plan.ts';
import { filledWith, requestsOf } from './requests.ts';
import { Results } from './results.ts';
import { runInOrder, type Unit, unitsOf } from './schedule.ts';
import { sentOf } from './sent.ts';
import { type Names, type Sending, ShareWork } from './share-work.ts';
import type { HeldShare } from './taking-part.ts';

const encoder = new TextEncoder();

/** What a transaction runs under. */
interface Running extends Names {
  readonly participants: readonly Participant[];
  readonly form: Form;
}

export class Work {
  readonly #ctx: Context;
  readonly #running: Running;
  readonly #shares: ShareWork;
  readonly #results: Results;
  /** What requests of their own take out of results. */
  readonly #pointed: Promise<Pointed>;

  constructor(ctx: Context, running: Running) {
    this.#ctx = ctx;
    this.#running = running;
    this.#shares = new ShareWork(ctx, running);
    this.#results = new Results(ctx, ctx.settings.RESULT_MAX_BYTES);
    const bodies = running.participants
      .filter(({ way }) => way !== 'joins')
      .flatMap(({ operations }) => operations.map(({ body }) => body));
    this.#pointed = Pointed.by(bodies, (pieces) => goingOn(ctx, pieces));
  }

  /** Numbers of the participants that are prepared, with what asks for them later. */
  get marks(): readonly Mark[] {
    return this.#shares.marks;
  }

  /** Whose own commit decides; undefined where none does, or it only read. */
  get decider(): Participant | undefined {
    return this.#running.participants.find(
      ({ part, n }) => part === 'decides' && !this.#shares.hasOnlyRead(n),
    );
  }

  /** Where the decider's backend keeps the mark of its commit; undefined where it keeps none. */
  get markPlace(): string | undefined {
    const { decider } = this;
    return decider && markPlaceOf(decider);
  }

  /** What the decider's backend is asked by. */
  get recovery(): string {
    const held = this.#shares.held(this.decider?.n ?? -1)?.recovery ?? '';
    return recoveryWith(this.markPlace, held);
  }

  /** Whether each operation has its result. */
  get isAnswered(): boolean {
    const { participants } = this.#running;
    return participants.every(({ operations }) =>
      operations.every(({ place }) => this.#results.at(place) !== undefined),
    );
  }

  /** JSON array of all results. */
  results(): string {
    return this.#results.all();
  }

  /** Of a participant's share in its backend. */
  nameOf(n: number): string {
    return this.#shares.nameOf(n);
  }

  /** What a participant holds open. */
  held(n: number): HeldShare | undefined {
    return this.#shares.held(n);
  }

  /** Goes on with a participant that an earlier request began. @throws GatewayError SESSION_NOT_FOUND */
  resume(participant: Participant, held: HeldShare): Promise<void> {
    return this.#shares.resume(participant, held);
  }

  /** All but what the decider does last. @throws GatewayError what operations may end in, naming the operation */
  async prepareAll(deadline: Deadline): Promise<void> {
    const { participants } = this.#running;
    const singly = participants.filter(({ way }) => way !== 'joins').map(({ n }) => n);
    const steps = participants
      .flatMap(({ n, operations }) =>
        operations.map(({ place, uses }) => ({ place, uses, share: n })),
      )
      .sort((one, other) => one.place - other.place);
    const units = unitsOf(steps, new Set(singly));
    const seats = this.#seatsOf(units);
    const run = (unit: Unit) => {
      const seat = seats.get(unit);
      return this.#unit(unit, deadline, seat).finally(() => seat?.leave());
    };
    // What is under way ends with the first failure.
    await runInOrder(units, run, () => deadline.abort());
  }

  /** Those that are prepared at once wait for each other before they are sent, and for nothing else. */
  #seatsOf(units: readonly Unit[]): ReadonlyMap<Unit, PrepareSeat> {
    const atOnce = units.filter(({ share, after, isLast }) => {
      const { way, part } = this.#participant(share);
      return after.size === 0 && isLast && way === 'joins' && part !== 'decides';
    });
    const together = preparingTogether(atOnce.length);
    return new Map(atOnce.map((unit) => [unit, together.seat()]));
  }

  /** Has all that are open prepare, after their last operation. @throws GatewayError, and all has to be undone */
  async prepareOpen(deadline: Deadline): Promise<void> {
    const { participants } = this.#running;
    const together = preparingTogether(participants.filter(prepares).length);
    await Promise.all(
      participants.map(async (each) => {
        const held = this.held(each.n);
        if (prepares(each)) {
          const seat = together.seat();
          const prepared = this.perform(each, [], { isLast: true, seat }, deadline);
          await prepared.finally(() => seat.leave());
        } else if (held?.onlyRead) await this.#shares.commitOpen(each.n, deadline);
      }),
    );
  }

  async #unit(
    { share, places, isLast }: Unit,
    deadline: Deadline,
    seat: PrepareSeat | undefined,
  ): Promise<void> {
    const participant = this.#participant(share);
    const operations = participant.operations.filter(({ place }) => places.includes(place));
    if (participant.way === 'joins') {
      await this.perform(participant, operations, { isLast, seat }, deadline);
      return;
    }
    const [operation] = operations;
    const isLater = participant.way === 'transacts' && participant.writes;
    if (operation?.mode === 'read' && !isLater) await this.#read(operation, deadline);
  }

  #participant(n: number): Participant {
    const found = this.#running.participants.find((each) => each.n === n);
    if (!found) throw new Error(`There is no participant ${n}`);
    return found;
  }

  /** Sends operations of one that joins. */
  async perform(
    participant: Participant,
    operations: readonly Operation[],
    sending: Sending,
    deadline: Deadline,
  ): Promise<void> {
    const sent = await this.#sent(operations, participant.part === 'reads');
    const performed = this.#shares.send(participant, sent, sending, deadline);
    const { results } = await performed.catch((thrown: unknown) => {
      throw withLevel(thrown, operations);
    });
    const [first] = operations;
    if (!first) return;
    this.#results.count(first.place, results.length);
    await this.#keep(operations, results);
  }

  async #sent(operations: readonly Operation[], onlyReads: boolean): Promise<SharePart> {
    const own = new Set(operations.map(({ place }) => place));
    const used = new Set(operations.flatMap(({ uses }) => [...uses])).difference(own);
    const earlier = [...used].map((place) => `"${place}":${this.#results.at(place) ?? 'null'}`);
    const text = used.size === 0 ? '' : `{${earlier.join()}}`;
    // Each participant is sent them anew.
    await mayStore(this.#ctx, text.length);
    return {
      operations: operations.map(({ place, isHeld, body, endpoint, sent }) => ({
        // One that may write is looked at only where its caller may not.
        ...{
          place,
          isRead: isHeld || onlyReads,
          text: (sent ?? sentOf(endpoint.row.kind, body)).text(),
        },
      })),
      earlier: text,
      resultMaxBytes: Math.max(1, this.#results.left),
      ...this.#running.form,
    };
  }

  /** @param results JSON array, as relays answer */
  async #keep(operations: readonly Operation[], results: string): Promise<void> {
    const [only] = operations;
    if (operations.length === 1 && only) {
      await this.#put(only.place, results.slice(1, -1));
      return;
    }
    const texts = await goingOn(this.#ctx, elementsInPieces(results));
    for (const [at, { place }] of operations.entries()) await this.#put(place, texts[at] ?? 'null');
  }

  async #put(place: number, text: string): Promise<void> {
    this.#results.put(place, text);
    await (await this.#pointed).take(place, () => text);
  }

  /** A request of its own. */
  #read(operation: Operation, deadline: Deadline): Promise<void> {
    return atOperation(operation.place, async () => {
      const backend = await backendOf(this.#ctx, operation.endpoint, 'read');
      const message = await this.#message(operation);
      const bytes = await backend.run(message, deadline).catch((thrown: unknown) => {
        throw withType(thrown, operation);
      });
      await this.#put(operation.place, await this.#results.gather(operation.place, bytes));
    });
  }

  async #message({ body, endpoint, uses, sent: known }: Operation): Promise<RequestMessage> {
    const { kind } = endpoint.row;
    const isWhole = known !== undefined && uses.size === 0;
    const sent = isWhole ? known : sentOf(kind, await this.#filled(kind, body));
    const { form } = this.#running;
    const written = sent.isWritten ? encoder.encode(sent.text()) : undefined;
    return { ...form, request: sent.request, written };
  }

  async #filled(kind: Kind, body: JsonObject): Promise<JsonObject> {
    return filledWith(kind, body, await this.#point());
  }

  async #point(): Promise<PointTo> {
    return (await this.#pointed).at(pointIn(() => undefined));
  }

  /**
   * What the decider does last: it commits with it. With a mark a write may be sent again, and answers the same.
   * @throws GatewayError OUTCOME_UNKNOWN where nobody knows whether it did
   */
  async commitDecider(deadline: Deadline): Promise<void> {
    const { decider } = this;
    if (!decider) return;
    const mark = await markLeftBy(decider, this.#running.id, this.#ctx);
    if (decider.way === 'joins') return this.#shares.commitOpen(decider.n, deadline, mark);
    if (decider.way === 'transacts') return this.#transact(decider, deadline);
    const operation = decider.operations.find(({ mode }) => mode !== 'read');
    if (!operation) return;
    await atOperation(operation.place, async () => {
      const message = await this.#message(operation);
      const { result } = mark
        ? await decider.backend.once({ ...message, mark }, deadline)
        : { result: await decider.backend.run(message, deadline) };
      this.#results.put(operation.place, await gather(this.#ctx, result));
    });
  }

  /** All operations of one in one call that commits. */
  async #transact({ backend, operations }: Participant, deadline: Deadline): Promise<void> {
    const requests = requestsOf(operations, await this.#point());
    const message = { ...this.#running.form, requests, written: undefined };
    const results = await backend.transact(message, deadline);
    await this.#keep(operations, await gather(this.#ctx, results));
  }

  /** Undoes all that may be left. Answers the numbers of those that certainly left nothing. */
  async undo(deadline: Deadline): Promise<readonly number[]> {
    const { participants } = this.#running;
    const ends = await Promise.all(
      participants.map(async (each) => ((await this.#shares.undo(each, deadline)) ? [each.n] : [])),
    );
    return ends.flat();
  }
}

function prepares({ part }: Participant): boolean {
  return part !== 'decides';
}
