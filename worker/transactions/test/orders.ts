/** Requests and ends of one transaction that come at once, in each order, and what each is answered. */
import { expect, vi } from 'vitest';
import type { Json } from '../../../proto/json.ts';
import { Interactive } from '../log/interactive.ts';
import type { startInteractive } from './interactive.ts';

type Started = Awaited<ReturnType<typeof startInteractive>>;
interface Reply {
  readonly status: number;
  readonly body: Json;
}

/** Calls reach the log in the order in which they are sent here: each is awaited there. */
export function inTheirOrder() {
  const spies = [
    vi.spyOn(Interactive.prototype, 'enter'),
    vi.spyOn(Interactive.prototype, 'beginRun'),
    vi.spyOn(Interactive.prototype, 'close'),
  ];
  const come = () => spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  return async (sends: readonly (() => Promise<Reply>)[]) => {
    const replies: Promise<Reply>[] = [];
    for (const send of sends) {
      const before = come();
      replies.push(send());
      await vi.waitFor(() => expect(come()).toBe(before + 1), { interval: 1, timeout: 5_000 });
    }
    return replies;
  };
}

/** Holds up the first share until it is let go. @param come called when it has come */
export function held({ relay }: Started, come = () => {}) {
  const gate = Promise.withResolvers<void>();
  relay.before = async (method, share) => {
    if (method !== 'begin' || share !== '0') return;
    come();
    await gate.promise;
  };
  return gate.resolve;
}

/** What a client may send. */
export type Act = 'write' | 'read' | 'commit' | 'rollback';

/** Sends it: requests to the second endpoint. */
export function sendingOf({ send, end }: Started, id: string, act: Act): () => Promise<Reply> {
  switch (act) {
    case 'write':
      return () => send(id, '/endpoints/e1/write', 'update b');
    case 'read':
      return () => send(id, '/endpoints/e1/read', 'select 1');
    default:
      return () => end(id, act);
  }
}

/** What each is answered, by what has ended the transaction before it; and what was sent on the second endpoint. */
export function expectedOf(id: string, acts: readonly Act[]) {
  let over: Act | undefined;
  const onSecond: string[] = [];
  const answers = acts.map((act) => {
    if (act === 'commit' || act === 'rollback') over ??= act;
    else if (over === undefined) {
      onSecond.push(onSecond.length === 0 ? 'begin 1' : 'continue 1');
      return { status: 200 };
    }
    if (act !== over) return { status: 409, body: { code: 'TRANSACTION_CLOSED' } };
    const status = act === 'commit' ? 'committed' : expect.stringMatching(/^roll/);
    return { status: 200, body: { transaction_id: id, status } };
  });
  return { over, onSecond, answers };
}

/** Each order once, of acts of which some are alike. */
export function* ordersOf(acts: readonly Act[]): Generator<Act[]> {
  if (acts.length === 0) yield [];
  for (const first of new Set(acts)) {
    const at = acts.indexOf(first);
    for (const rest of ordersOf(acts.toSpliced(at, 1))) yield [first, ...rest];
  }
}
