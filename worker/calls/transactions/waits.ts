/** Finds transactions that wait for themselves in their databases: by two endpoints of one, or by each other. Spec: transactions.md §4. */
import type { GatewayError } from '../../../proto/errors.ts';
import type { Deadline } from '../../drivers/deadline.ts';
import { prefixOf, readName } from './names.ts';
import type { Participant } from './participants.ts';
import { deadlock } from './refusals.ts';

/** Milliseconds that operations take before it is asked who waits, and between two questions. */
const LOOK_EVERY_MS = 500;

/** One transaction that waits for another, by their ids. */
export type Wait = readonly [waiting: string, holding: string];

/** What is looked at. */
interface Looked {
  readonly log: string;
  readonly id: string;
  readonly participants: readonly Pick<Participant, 'shares'>[];
}

/** Does work of a transaction, which ends as soon as it is seen to wait for itself. @throws GatewayError TRANSACTION_DEADLOCK */
export async function withoutDeadlock<Value>(
  looked: Looked,
  deadline: Deadline,
  work: () => Promise<Value>,
): Promise<Value> {
  let found: GatewayError | undefined;
  let isOver = false;
  const look = async (): Promise<void> => {
    const waits = await waitsOf(looked, deadline);
    if (isOver) return;
    if (mustGiveWay(waits, looked.id)) {
      found = deadlock(
        'It waits for a lock that it holds itself, by another endpoint or by way of another transaction',
      );
      deadline.abort();
    } else timer = setTimeout(look, LOOK_EVERY_MS);
  };
  let timer = setTimeout(look, LOOK_EVERY_MS);
  try {
    return await work();
  } catch (thrown) {
    throw found ?? thrown;
  } finally {
    isOver = true;
    clearTimeout(timer);
  }
}

async function waitsOf({ log, participants }: Looked, deadline: Deadline): Promise<Wait[]> {
  const prefix = prefixOf(log);
  const all = await Promise.all(
    participants.map(({ shares }) => shares?.waits(prefix, deadline).catch(() => []) ?? []),
  );
  return all.flat().flatMap(([waiting, holding]): Wait[] => {
    const [one, other] = [readName(waiting), readName(holding)];
    return one && other ? [[one.transaction, other.transaction]] : [];
  });
}

/** Whether a transaction waits for itself, and is the one of its circle that ends: the last by name. */
export function mustGiveWay(waits: readonly Wait[], id: string): boolean {
  const ahead = reachedFrom(waits, id);
  if (!ahead.has(id)) return false;
  return [...ahead].every((each) => each <= id || !reachedFrom(waits, each).has(id));
}

function reachedFrom(waits: readonly Wait[], id: string): ReadonlySet<string> {
  const reached = new Set<string>();
  const next = [id];
  for (let each = next.pop(); each !== undefined; each = next.pop()) {
    for (const [waiting, holding] of waits) {
      if (waiting !== each || reached.has(holding)) continue;
      reached.add(holding);
      next.push(holding);
    }
  }
  return reached;
}
