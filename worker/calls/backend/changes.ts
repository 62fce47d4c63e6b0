/** Changes of a backend's data, as relays tell them. Spec: workflows.md §5, `dataChange`. */
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { PreparedChanges } from '../../../proto/changes.ts';
import type { ChangesResponse, TargetSchema } from '../../../proto/gen/relay/v1/relay_pb.ts';
import type { Context } from '../../context.ts';
import { type Deadline, startDeadline, withinDeadline } from '../../drivers/deadline.ts';
import type { Node } from '../../drivers/node.ts';
import { type Attempt, callRelay, type RoutePlan } from '../../drivers/relay.ts';
import { watchOf } from '../../nodes/reach.ts';
import type { Target } from './backend.ts';

/** Milliseconds that a backend has to make ready what it keeps, and to begin to tell. Spec silent. */
const BEGIN_MS = 30_000;
/** The same of what is small. Spec silent. */
const SHORT_MS = 10_000;

/** A collection whose changes are wanted. */
interface WantedCollection {
  readonly name: string;
  readonly operations: readonly string[];
}

/** Changes that are being told. */
export interface Telling {
  /** The node that reports them. */
  readonly node: Node;
  /** Batches after the first, which said that it is active. It ends in what the line ended in. */
  readonly batches: AsyncIterator<ChangesResponse>;
  /** What came with the first. */
  readonly first: ChangesResponse | undefined;
  /** Ends it from here. */
  end(): void;
}

/** One endpoint's. */
export class RelayChanges {
  readonly #ctx: Context;
  readonly #target: Target;
  readonly #nodes: readonly Node[];

  /** @param target in the mode `write` @param nodes in the order in which they are tried */
  constructor(ctx: Context, target: Target, nodes: readonly Node[]) {
    this.#ctx = ctx;
    this.#target = target;
    this.#nodes = nodes;
  }

  /**
   * Makes the backend keep changes of these collections, and no others.
   * @throws GatewayError BAD_REQUEST with a detail for each thing that it lacks, NOT_SUPPORTED, and what a call may end in
   */
  prepare(collections: readonly WantedCollection[]): Promise<PreparedChanges> {
    return this.#call(BEGIN_MS, async ({ relay, options, ...attempt }) => {
      const request = { target: this.#address(attempt), collections: messagesOf(collections) };
      const { position, mark } = await relay.prepareChanges(request, options);
      return { position, mark };
    });
  }

  /**
   * Begins to tell, once the backend has accepted.
   * @param position after which it goes on; empty for what was acknowledged last
   * @throws GatewayError NOT_FOUND when the backend no longer has what follows the position, and what a call may end in
   */
  async open(collections: readonly WantedCollection[], position: string): Promise<Telling> {
    const deadline = startDeadline(this.#ctx, BEGIN_MS);
    const late = setTimeout(deadline.abort, BEGIN_MS);
    try {
      return await this.#callOn(
        this.#nodes,
        deadline,
        async ({ relay, options, node, ...attempt }) => {
          // A deadline that the relay were told would end the batches, too.
          const { timeoutMs: _, ...lasting } = options;
          const request = {
            target: this.#address(attempt),
            collections: messagesOf(collections),
            position,
          };
          const batches = relay.changes(request, lasting)[Symbol.asyncIterator]();
          const first = await batches.next();
          return {
            node,
            batches,
            first: first.done ? undefined : first.value,
            end: deadline.abort,
          };
        },
      );
    } finally {
      clearTimeout(late);
      deadline.end();
    }
  }

  /** Lets the backend forget what comes up to a position. Answers whether the node reports it. @param node that tells the changes */
  acknowledge(node: Node, position: string): Promise<boolean> {
    return withinDeadline(startDeadline(this.#ctx, SHORT_MS), (deadline) =>
      this.#callOn([node], deadline, async ({ relay, options, ...attempt }) => {
        const request = { target: this.#address(attempt), position };
        return (await relay.acknowledgeChanges(request, options)).told;
      }),
    );
  }

  /** Ends what the backend keeps. Repeating it is no error. */
  async drop(): Promise<void> {
    await this.#call(BEGIN_MS, ({ relay, options, ...attempt }) =>
      relay.dropChanges({ target: this.#address(attempt) }, options),
    );
  }

  /** What the backend keeps: bytes of its log, and whether all that is not acknowledged is there. */
  lag(): Promise<{ readonly bytes: number; readonly isWhole: boolean }> {
    return this.#call(SHORT_MS, async ({ relay, options, ...attempt }) => {
      const told = await relay.changesLag({ target: this.#address(attempt) }, options);
      return { bytes: Number(told.bytes), isWhole: told.whole };
    });
  }

  #call<Answer>(ms: number, call: (attempt: Attempt) => Promise<Answer>): Promise<Answer> {
    return withinDeadline(startDeadline(this.#ctx, ms), (deadline) =>
      this.#callOn(this.#nodes, deadline, call),
    );
  }

  #callOn<Answer>(
    nodes: readonly Node[],
    deadline: Deadline,
    call: (attempt: Attempt) => Promise<Answer>,
  ): Promise<Answer> {
    const subject = this.#target;
    const { connection } = subject;
    // Whatever is asked may be asked again: nothing of the data is changed.
    const plan: RoutePlan = { nodes, subject, writes: false, deadline, timing: {}, connection };
    const isPlain = nodes.length === 1 && nodes[0]?.default === true;
    const watch = watchOf(this.#ctx, subject.endpoint);
    return callRelay(this.#ctx, isPlain ? plan : { ...plan, watch }, call);
  }

  #address({
    sealedConnection,
  }: Pick<Attempt, 'sealedConnection'>): MessageInitShape<typeof TargetSchema> {
    const { kind, organization, endpoint, poolKey, mode, profile, caps } = this.#target;
    return { kind, organization, endpoint, poolKey, mode, profile, caps, sealedConnection };
  }
}

function messagesOf(collections: readonly WantedCollection[]) {
  return collections.map(({ name, operations }) => ({ name, operations: [...operations] }));
}
