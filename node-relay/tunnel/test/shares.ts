/** Shares of transactions over many databases, as a gateway works on them through a tunnel. */
import type { Call } from '../../../proto/driver.ts';
import type { Performed as PerformedMessage } from '../../../proto/gen/relay/v1/relay_pb.ts';
import {
  type Beginning,
  type Finished,
  type Performed,
  type Prepares,
  type PreparingParticipant,
  SHARE_STATUSES,
  type Share,
  type ShareStatus,
} from '../../../proto/prepares.ts';
import { bytesOf, type Line, type Options, operationsOf, whole, wishesOf } from './line.ts';

const NO_BYTES = new Uint8Array();

/** What drivers that prepare do, by the names of their methods. */
export function sharesOver<Request>(line: Line): Prepares<Request> {
  const target = line.target();
  return {
    lacks: (call) =>
      line.call(call, async (options) => {
        const { lacks } = await line.client.lacks({ target }, options);
        return lacks as unknown as Awaited<ReturnType<Prepares['lacks']>>; // With the codes of LACK_CODES.
      }),
    join: (beginning, call) =>
      line.call(call, async (options) => {
        const message = { target, ...beginningOf(beginning) };
        const { sessionId } = await line.client.begin(message, options);
        return participantOf<Request>(line, beginning.name, sessionId);
      }),
    prepare: (beginning, share, call) =>
      line.call(call, async (options) => {
        const message = { target, ...beginningOf(beginning), share: shareOf(line, share, call) };
        const { performed, prepared, recovery } = await line.client.prepare(message, options);
        return { ...(await performedOf(line, performed, options)), prepared, recovery };
      }),
    commit: (name, recovery, call) =>
      line.call(call, async (options) =>
        finishedOf(await line.client.commit({ target, transactionId: name, recovery }, options)),
      ),
    rollback: (name, recovery, call) =>
      line.call(call, async (options) =>
        finishedOf(await line.client.rollback({ target, transactionId: name, recovery }, options)),
      ),
    settle: (recovery, call) =>
      line.call(call, async (options) =>
        statusOf((await line.client.settle({ target, recovery }, options)).status),
      ),
    recover: (prefix, call) =>
      line.call(call, async (options) => {
        const { shares } = await line.client.recover({ target, prefix }, options);
        return shares.map(({ transactionId, ageMs, owner }) => ({
          name: transactionId,
          ageMs: ageMs === undefined ? undefined : Number(ageMs),
          owner,
        }));
      }),
    waits: (prefix, call) =>
      line.call(call, async (options) => {
        const { shown, waits } = await line.client.waits({ target, prefix }, options);
        return { shown, waits: waits.map(({ waiting, holding }) => ({ waiting, holding })) };
      }),
  };
}

/** A share that has begun, on a connection that the relay leases. */
function participantOf<Request>(
  line: Line,
  name: string,
  sessionId: string,
): PreparingParticipant<Request> {
  const held = { target: line.target(), sessionId };
  return {
    perform: (share, call) =>
      line.call(call, async (options) => {
        const message = { ...held, share: shareOf(line, share, call) };
        const { performed } = await line.client.continue(message, options);
        return performedOf(line, performed, options);
      }),
    prepare: (call) =>
      line.call(call, async (options) => {
        const message = { ...held, transactionId: name };
        const { prepared, recovery } = await line.client.prepare(message, options);
        return { prepared, recovery };
      }),
    commit: (call) =>
      line.call(call, async (options) => {
        await line.client.commit(held, options);
      }),
    commitMarked: (mark, call) =>
      line.call(call, async (options) => {
        await line.client.commitMarked({ ...held, mark }, options);
      }),
    async close() {
      const { found } = await line.client.rollback(held);
      return found;
    },
  };
}

function beginningOf({ name, isolation, onePhase, markPlace = '' }: Beginning) {
  return { transactionId: name, isolation: isolation ?? '', onePhase, markPlace };
}

function shareOf<Request>(line: Line, share: Share<Request>, call: Call) {
  const { operations, recoverable } = share;
  const requests = operations.map(({ request }) => request);
  const first = operations[0]?.place ?? 0;
  const earlier = Array.from({ length: first }, (_, place) => [place, share.earlier(place)]);
  return {
    ...wishesOf(call),
    recoverable,
    operations: operations.length === 0 ? NO_BYTES : operationsOf(line, requests),
    places: operations.map(({ place }) => place),
    reads: operations.flatMap(({ place, mode }) => (mode === 'read' ? [place] : [])),
    earlier: first === 0 ? NO_BYTES : bytesOf(Object.fromEntries(earlier)),
  };
}

async function performedOf(
  line: Line,
  performed: PerformedMessage | undefined,
  options: Options,
): Promise<Performed> {
  if (performed === undefined) throw new Error('The relay told no results');
  const { results, collectId, onlyRead, recovery } = performed;
  return {
    results: await whole(line, { result: results, collectId }, options),
    onlyRead,
    recovery,
  };
}

function finishedOf({ found, status }: { found: boolean; status: string }): Finished {
  return { found, status: statusOf(status) };
}

function statusOf(status: string): ShareStatus {
  const known = SHARE_STATUSES.find((each) => each === status);
  if (known === undefined) throw new Error(`${status} is no status of a share`);
  return known;
}
