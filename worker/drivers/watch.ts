/** What calls tell of the nodes that they go over, and how they end when their node is gone. */
import type { PublicContext } from '../context.ts';
import type { Deadline } from './deadline.ts';
import type { Node } from './node.ts';
import type { RelayRoute } from './relay-routes.ts';

/** Milliseconds without an answer after which the node of a call is watched. */
const WATCHED_AFTER_MS = 500;
/** How often it is looked whether its node is gone, in milliseconds. */
const LOOK_MS = 100;

/** Of the calls of one endpoint. */
export interface Watch {
  /** The node answered, whatever it said. */
  heard(node: Node): void;
  /** The node answered, and the backend was reached from it. */
  answered(node: Node): void;
  /** The node answered that it could not reach the backend. */
  failed(node: Node): void;
  /** The node did not answer, or no longer. */
  silent(node: Node): void;
  /** The node has not answered yet: it may be gone. */
  doubted(node: Node): void;
  /** Whether the node is known not to answer: what still waits for it ends. */
  isGone(node: Node): boolean;
}

/** One try of a call. */
interface Attempt {
  /** Aborts with the call, and when the node is gone. */
  readonly signal: AbortSignal;
  /** To be called once there is an answer: what was opened goes on under the call's own signal. */
  end(): void;
}

/** Has a try end when its node is gone, where its plan watches nodes. */
export function watched(
  ctx: Pick<PublicContext, 'now'>,
  { watch, deadline }: { readonly watch?: Watch; readonly deadline: Deadline },
  { node, line }: { readonly node: Node; readonly line: RelayRoute },
): Attempt {
  if (!watch) return { signal: deadline.signal, end: () => {} };
  const controller = new AbortController();
  const look = (): void => {
    if (watch.isGone(node)) {
      controller.abort();
      return;
    }
    // What any call heard of the node serves all of them.
    if (ctx.now() - line.heardAt > WATCHED_AFTER_MS) watch.doubted(node);
    timer = setTimeout(look, LOOK_MS);
  };
  let timer = setTimeout(look, WATCHED_AFTER_MS);
  const leave = (): void => controller.abort(deadline.signal.reason);
  deadline.signal.addEventListener('abort', leave);
  if (deadline.signal.aborted) leave();
  return { signal: controller.signal, end: () => clearTimeout(timer) };
}
