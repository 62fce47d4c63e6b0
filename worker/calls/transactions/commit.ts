/** Has all participants of a decided transaction commit. Spec: transactions.md §1, §3. */
import type { Context } from '../../context.ts';
import { type Deadline, startDeadline } from '../../drivers/deadline.ts';
import { committingTogether } from '../backend/shares.ts';
import { tellConfirmed } from './log.ts';
import type { ShareEnd } from './object.ts';
import type { Participant } from './participants.ts';
import type { Work } from './work.ts';

/** Milliseconds in which participants are asked from here; then the log goes on. */
const COMMIT_MS = 10_000;

/** A transaction that is decided. */
interface Decision {
  readonly ctx: Context;
  readonly id: string;
  readonly all: readonly Participant[];
  readonly deadline: Deadline;
  /** Another transaction waits for its end. */
  readonly isAwaited: boolean;
}

/** Asks all at once. Answers `committing` where the deadline passes before all have confirmed. */
export async function commitAll(
  decision: Decision,
  work: Work,
): Promise<'committed' | 'committing'> {
  const { ctx, deadline } = decision;
  const ending = commitEach(decision, work);
  // The decision holds, whether its caller still waits or not.
  ctx.afterReply(ending.then(({ told }) => told));
  let left: number;
  try {
    left = deadline.remaining();
  } catch {
    return 'committing';
  }
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), left);
  const ended = await Promise.race([ending, late]);
  clearTimeout(timer);
  return ended?.isWhole ? 'committed' : 'committing';
}

async function commitEach(
  { ctx, id, all, isAwaited }: Decision,
  work: Work,
): Promise<{ readonly isWhole: boolean; readonly told: Promise<void> }> {
  const lasting = { now: ctx.now, signal: new AbortController().signal };
  const deadline = startDeadline(lasting, COMMIT_MS);
  const together = committingTogether(work.marks.length);
  const found = await Promise.all(
    work.marks.map(async ({ n, recovery }): Promise<ShareEnd | undefined> => {
      const seat = together.seat();
      const status = await all
        .find((each) => each.n === n)
        ?.shares?.commit(work.nameOf(n), recovery, deadline, seat)
        .catch(() => 'open' as const);
      seat.leave();
      return status === undefined || status === 'open' ? undefined : { n, status };
    }),
  );
  deadline.end();
  const ends = found.flatMap((each) => each ?? []);
  const isWhole = found.every((each) => each?.status === 'committed');
  return { isWhole, told: tellConfirmed(ctx, { id, ends }, isAwaited) };
}
