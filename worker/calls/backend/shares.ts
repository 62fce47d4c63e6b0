/** Shares of transactions over many databases on a backend that relays speak to. Spec: transactions.md §2, §3. */

import { kindSpec } from '../../../kinds/index.ts';
import type { Performed as PerformedMessage } from '../../../proto/gen/relay/v1/relay_pb.ts';
import type { OnceMark } from '../../../proto/once.ts';
import { type Isolation, SHARE_STATUSES, type ShareStatus } from '../../../proto/prepares.ts';
import type { Deadline } from '../../drivers/deadline.ts';
import { noReply } from '../../drivers/no-reply.ts';
import type { Node } from '../../drivers/node.ts';
import { demandJson } from '../../drivers/read-json.ts';
import { COMMIT, PREPARE, Together } from '../../drivers/together.ts';
import { keptIn, nameIn } from '../../drivers/told-names.ts';
import { type Owner, readInTurn } from '../../limits/heavy-work.ts';
import { elementsInPieces } from '../transactions/elements.ts';
import type { RelayBackend } from './relay.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Operations of one participant as they are sent. */
export interface SharePart {
  readonly operations: readonly {
    readonly place: number;
    /** Held to what `/read` lets through. */
    readonly isRead: boolean;
    /** JSON of the request, as its kind wants it. */
    readonly text: string;
  }[];
  /** JSON object of the results by place to which their references may point; empty where there are none. */
  readonly earlier: string;
  readonly resultMaxBytes: number;
  readonly numbersAsStrings: boolean;
  readonly canonical: boolean;
}

/** What they came to. */
export interface Performed {
  /** JSON array with one result per operation; empty without operations. */
  readonly results: string;
  readonly onlyRead: boolean;
  /** For `settle`. */
  readonly recovery: string;
}

/** What a share begins as. */
interface ShareBeginning {
  readonly name: string;
  readonly isolation: Isolation | undefined;
  readonly onePhase: boolean;
  /** Where it will leave a mark. */
  readonly markPlace?: string | undefined;
}

/** A share that has begun. */
interface BegunShare extends Performed {
  /** UUID of the node that has it. */
  readonly node: string;
  readonly session: string;
}

/** What several participants prepare by, in one message where they go the same way. */
export function preparingTogether(participants: number) {
  return new Together(PREPARE, participants);
}
/** Likewise what they commit by. */
export function committingTogether(participants: number) {
  return new Together(COMMIT, participants);
}
export type PrepareSeat = ReturnType<ReturnType<typeof preparingTogether>['seat']>;
type CommitSeat = ReturnType<ReturnType<typeof committingTogether>['seat']>;

/** Bytes of operations that go with those of others in one message. Spec silent. */
const TOGETHER_MAX_BYTES = 64 * 1024;

/** What keeps a backend from preparing; `joins` is false where no share can begin there at all. */
export interface Lacks {
  readonly lacks: readonly string[];
  readonly joins: boolean;
}

/** What a share is done with. Each call may end in what calls to backends end in. */
export class Shares {
  readonly #backend: RelayBackend;

  constructor(backend: RelayBackend) {
    this.#backend = backend;
  }

  lacks(deadline: Deadline): Promise<Lacks> {
    return this.#backend.ask(false, deadline, async ({ relay, options, address }) => {
      const { lacks, joins } = await relay.lacks({ target: address }, options);
      return { lacks: lacks.map(({ message }) => message), joins };
    });
  }

  /** Begins, runs and prepares a share, in one trip. */
  prepare(beginning: ShareBeginning, part: SharePart, deadline: Deadline, seat?: PrepareSeat) {
    const { name: transactionId, isolation } = beginning;
    const what = { transactionId, isolation: isolation ?? '', sessionId: '' };
    return this.#prepare(what, part, deadline, seat);
  }

  /** Prepares one that has begun, after more operations or none. */
  prepareBegun(
    { name: transactionId, session: sessionId }: { name: string; session: string },
    part: SharePart,
    deadline: Deadline,
    seat?: PrepareSeat,
  ) {
    return this.#prepare({ transactionId, isolation: '', sessionId }, part, deadline, seat);
  }

  #prepare(
    what: { transactionId: string; isolation: string; sessionId: string },
    part: SharePart,
    deadline: Deadline,
    seat: PrepareSeat = preparingTogether(1).seat(),
  ): Promise<Performed & { readonly prepared: boolean; readonly mark: string }> {
    return this.#backend.ask(true, deadline, async ({ told, node, ...way }) => {
      const target = told();
      const share = this.#share(part);
      const { operations, earlier } = share;
      if (operations.byteLength + earlier.byteLength > TOGETHER_MAX_BYTES) seat.leave();
      const { performed, prepared, recovery } = await seat.send(way, { target, ...what, share });
      const came = await this.#performed(node, performed, part);
      return { ...came, prepared, mark: keptIn(recovery) };
    });
  }

  begin(
    { name, isolation, onePhase, markPlace = '' }: ShareBeginning,
    part: SharePart,
    deadline: Deadline,
  ): Promise<BegunShare> {
    return this.#backend.ask(true, deadline, async ({ relay, options, told, node }) => {
      const share = this.#share(part);
      const how = { transactionId: name, isolation: isolation ?? '', onePhase, markPlace };
      const message = { target: told(), ...how, share };
      const { sessionId: session, performed } = await relay.begin(message, options);
      const came = await this.#performed(node, performed, part);
      return { ...came, node: node.uuid, session: nameIn(session, true) };
    });
  }

  continue(sessionId: string, part: SharePart, deadline: Deadline): Promise<Performed> {
    return this.#backend.ask(true, deadline, async ({ relay, options, told, node }) => {
      const target = told();
      const message = { target, sessionId, share: this.#share(part) };
      const { performed } = await relay.continue(message, options);
      return this.#performed(node, performed, part);
    });
  }

  /** Commits one that has begun, in one phase. */
  async commitBegun(sessionId: string, deadline: Deadline): Promise<void> {
    await this.#backend.ask(true, deadline, ({ relay, options, address }) =>
      relay.commit({ target: address, sessionId }, options),
    );
  }

  /** The same with a mark in the same transaction. */
  async commitMarked(sessionId: string, mark: OnceMark, deadline: Deadline): Promise<void> {
    await this.#backend.ask(true, deadline, ({ relay, options, address }) =>
      relay.commitMarked({ target: address, sessionId, mark }, options),
    );
  }

  /** Undoes one that has begun. Answers whether it was there. */
  async closeBegun(sessionId: string, deadline: Deadline): Promise<boolean> {
    const { found } = await this.#backend.ask(false, deadline, ({ relay, options, address }) =>
      relay.rollback({ target: address, sessionId }, options),
    );
    return found;
  }

  /** Commits a prepared share by its name; may be repeated. */
  commit(
    name: string,
    recovery: string,
    deadline: Deadline,
    seat: CommitSeat = committingTogether(1).seat(),
  ): Promise<ShareStatus> {
    return this.#backend.ask(true, deadline, async ({ address, ...way }) => {
      const message = { target: address, transactionId: name, recovery };
      return statusOf(await seat.send(way, message));
    });
  }

  /** Undoes a share by its name, prepared or under way; may be repeated. */
  rollback(name: string, recovery: string, deadline: Deadline): Promise<ShareStatus> {
    return this.#backend.ask(true, deadline, async ({ relay, options, address }) => {
      const message = { target: address, transactionId: name, recovery };
      return statusOf(await relay.rollback(message, options));
    });
  }

  /** What became of a share that was told to commit in one phase. */
  settle(recovery: string, deadline: Deadline): Promise<ShareStatus> {
    return this.#backend.ask(false, deadline, async ({ relay, options, address }) =>
      statusOf(await relay.settle({ target: address, recovery }, options)),
    );
  }

  /** What became of one that was told to commit, or of a write, by its mark. It may be asked anywhere, and again. */
  settleMark(mark: OnceMark, recovery: string, deadline: Deadline): Promise<ShareStatus> {
    return this.#backend.ask(false, deadline, async ({ relay, options, address }) =>
      statusOf(await relay.settleMarked({ target: address, mark, recovery }, options)),
    );
  }

  /** Names of prepared shares that begin so. */
  recover(prefix: string, deadline: Deadline): Promise<readonly string[]> {
    return this.#backend.ask(false, deadline, async ({ relay, options, address }) => {
      const { shares } = await relay.recover({ target: address, prefix }, options);
      return shares.map(({ transactionId }) => transactionId);
    });
  }

  /** Pairs of names: who waits for a lock, and who holds it, as far as the backend shows it. */
  waits(prefix: string, deadline: Deadline): Promise<readonly (readonly [string, string])[]> {
    return this.#backend.ask(false, deadline, async ({ relay, options, address }) => {
      const { waits } = await relay.waits({ target: address, prefix }, options);
      return waits.map(({ waiting, holding }) => [waiting, holding] as const);
    });
  }

  #share({ operations, earlier, resultMaxBytes, numbersAsStrings, canonical }: SharePart) {
    const array = `[${operations.map(({ text }) => text).join(',')}]`;
    const { keepsText } = kindSpec(this.#backend.target.kind);
    const text = keepsText ? `{"operations":${array}}` : array;
    return {
      operations: encoder.encode(operations.length === 0 ? '' : text),
      places: operations.map(({ place }) => place),
      reads: operations.flatMap(({ place, isRead }) => (isRead ? [place] : [])),
      earlier: encoder.encode(earlier),
      resultMaxBytes: BigInt(resultMaxBytes),
      numbersAsStrings: numbersAsStrings || this.#backend.target.numbersAsStrings,
      canonical,
      recoverable: true,
    };
  }

  /** @throws GatewayError as `noReply` has it */
  async #performed(
    node: Node,
    performed: PerformedMessage | undefined,
    { operations }: SharePart,
  ): Promise<Performed> {
    if (!performed) throw noReply(true, 'it has no results');
    const { results, collectId, onlyRead, recovery, backendUs } = performed;
    this.#backend.timing.backend = Number(backendUs) / 1000;
    const text =
      collectId === '' ? decoder.decode(results) : await this.#backend.collectText(node, collectId);
    if (!node.default && operations.length > 0) {
      await demandResults(this.#backend.ctx, text, operations.length);
    }
    return { results: text, onlyRead, recovery: keptIn(recovery) };
  }
}

/** What a node of another version reports is not known here. */
function statusOf({ status }: { readonly status: string }): ShareStatus {
  return SHARE_STATUSES.find((each) => each === status) ?? 'unknown';
}

/** Looks whether results of so many operations are such. @throws GatewayError as `noReply` has it */
async function demandResults(of: Owner, text: string, operations: number): Promise<void> {
  await demandJson(of, text, true);
  const isList = text.trimStart().startsWith('[');
  const results = await readInTurn(of, text.length, elementsInPieces(text.trim()));
  if (!isList || results.length !== operations) {
    throw noReply(true, `it has no ${operations} results`);
  }
}
