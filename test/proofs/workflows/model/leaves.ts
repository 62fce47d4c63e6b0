/** Actions that hold no others: calls, waits, tasks, runs of other workflows. Spec: workflows.md §3. */
import type { Json } from '../../../../proto/json.ts';
import type { Answer } from '../fate.ts';
import type { Written, WrittenTimeout } from '../written.ts';
import { msOf } from './containers.ts';
import { evaluate, filled } from './scope.ts';
import type { At, Made } from './steps.ts';
import type { Ran, World } from './world.ts';

/** Where the clock of generated times begins. */
export const EPOCH = Date.parse('2030-01-01T00:00:00Z');

/** A request or a template's input. */
export async function runCall(world: World, action: Written, ran: Ran, input: Json): Promise<Made> {
  world.log('call', ran.path, input);
  const { ms, is } = world.fate.call(ran.path, world.nth(`call ${ran.path}`));
  await world.clock.wait(ms);
  return madeOf(is, action.id);
}

function madeOf(answer: Answer, action: string): Made {
  if ('output' in answer) return { is: 'output', output: answer.output };
  return { is: 'failed', failure: { ...answer, action } };
}

/** Something that ends once, by whichever of its causes comes first. */
function firstOf(
  arm: (end: (made: Made) => void, also: (undo: () => void) => void) => void,
): Promise<Made> {
  return new Promise((resolve) => {
    const undoing: (() => void)[] = [];
    let isOver = false;
    const also = (undo: () => void) => {
      if (isOver) undo();
      else undoing.push(undo);
    };
    const end = (made: Made) => {
      if (isOver) return;
      isOver = true;
      for (const undo of undoing) undo();
      resolve(made);
    };
    arm(end, also);
  });
}

/** For an event, a time or a callback. @throws ExpressionFailed */
export function runWait(world: World, action: Written, ran: Ran, at: At): Promise<Made> {
  const { clock } = world;
  const { mode = 'event', duration = '', until = '' } = action;
  return firstOf((end, also) => {
    if (mode === 'duration')
      also(clock.later(msOf(duration), () => end({ is: 'output', output: null })));
    if (mode === 'until') {
      const ms = Math.max(0, Date.parse(until) - EPOCH - clock.now);
      also(clock.later(ms, () => end({ is: 'output', output: null })));
    }
    if (mode === 'callback') {
      const coming = world.fate.callback(ran.path, world.nth(`callback ${ran.path}`));
      if (coming) also(clock.later(coming.ms, () => end({ is: 'output', output: coming.is })));
    }
    if (mode === 'event') also(listen(world, action, at, end));
    also(at.stop.listen(() => end({ is: 'cut' })));
    const timeout = action.timeout as WrittenTimeout | undefined; // Of a wait.
    if (timeout) also(clock.later(msOf(timeout.duration), () => end(timedOut(action, timeout))));
  });
}

function timedOut({ id }: Written, { action: to }: WrittenTimeout): Made {
  const failure = { code: 'TIMED_OUT', action: id };
  return to === undefined ? { is: 'failed', failure } : { is: 'timed-out', failure, to };
}

/** Takes the earliest matching event that came since the run, or the wait, began. */
function listen(world: World, action: Written, at: At, end: (made: Made) => void): () => void {
  const { events } = world.fate;
  const began = world.clock.now;
  const wants = (index: number): boolean => {
    const event = events[index];
    return event !== undefined && matches(world, action, at, event);
  };
  const take = (index: number): void => {
    world.taken.set(index, began);
    const event = events[index];
    if (event) end({ is: 'output', output: eventOf(event) });
  };
  for (const [index, { at: came }] of events.entries()) {
    if (action.since === 'wait' || came > began || !wants(index)) continue;
    if (!world.taken.has(index)) {
      take(index);
      return () => {};
    }
    // Of two waits that began at one moment, another may be first.
    world.isOpenInPieces ||= world.taken.get(index) === began;
  }
  const waiter = { began, wants, take };
  world.eventWaiters.push(waiter);
  return () => {
    const place = world.eventWaiters.indexOf(waiter);
    if (place >= 0) world.eventWaiters.splice(place, 1);
  };
}

/** An event as a wait's output. */
export function eventOf({
  source,
  event,
  data,
}: {
  source: string;
  event: string;
  data: Json;
}): Json {
  return { source, event, data };
}

function matches(
  world: World,
  { eventSource, eventPattern = '', filter }: Written,
  at: At,
  event: { source: string; event: string; data: Json },
): boolean {
  if (event.source !== eventSource || !isNamed(eventPattern, event.event)) return false;
  return filter === undefined || Boolean(evaluate(world, filter, at, {}, eventOf(event)));
}

/** Whether an event has a name that a pattern with at most one `*` stands for. */
export function isNamed(pattern: string, name: string): boolean {
  const [start = '', end] = pattern.split('*');
  if (end === undefined) return name === start;
  return name.startsWith(start) && name.endsWith(end) && name.length >= start.length + end.length;
}

/** A person's task: its time may run twice. */
export function runTask(world: World, action: Written, ran: Ran, at: At): Promise<Made> {
  const { path } = ran;
  const timeout = action.timeout as WrittenTimeout | undefined; // Of a task.
  world.log('open-task', path);
  ran.by = undefined;
  return firstOf((end, also) => {
    const close = (made: Made, how: string) => {
      world.log('close-task', path, how);
      end(made);
    };
    const coming = world.fate.task(path, world.nth(`task ${path}`));
    const complete = () => {
      if (!coming) return;
      const { is } = coming;
      ran.by = 'someone';
      if ('form' in is) close({ is: 'output', output: is.form }, 'done');
      else close({ is: 'failed', failure: { code: 'TASK_REJECTED', action: action.id } }, 'done');
    };
    if (coming) also(world.clock.later(coming.ms, complete));
    also(at.stop.listen(() => close({ is: 'cut' }, 'expired')));
    if (!timeout) return;
    const last = () => close(timedOut(action, timeout), 'expired');
    const first = () => {
      if (!timeout.escalation) return last();
      world.log('escalate-task', path);
      also(world.clock.later(msOf(timeout.duration), last));
    };
    also(world.clock.later(msOf(timeout.duration), first));
  });
}

/** A run of another workflow. */
export function runChild(
  world: World,
  action: Written,
  ran: Ran,
  { at, input }: { readonly at: At; readonly input: Json },
): Promise<Made> {
  const { clock, fate } = world;
  const { path } = ran;
  const nth = world.nth(`child ${path}`);
  world.log('start-child', path, input);
  const { ms, is } = fate.child(path, nth);
  return firstOf((end, also) => {
    if (action.waitForCompletion === false) {
      const output = { run_id: 'a child' };
      clock.later(ms, () => end({ is: 'output', output }));
      return;
    }
    let isCancelled = false;
    let made: Made = { is: 'cut' };
    const takeBack = clock.later(ms, () => end(madeOf(is, action.id)));
    const cancel = (then: Made) => {
      if (isCancelled) return;
      isCancelled = true;
      made = then;
      world.log('cancel-child', path);
      takeBack();
      clock.later(fate.cancelling(path), () => end(made));
    };
    also(at.stop.listen(() => cancel({ is: 'cut' })));
    if (typeof action.timeout !== 'string') return;
    const failure = { code: 'TIMED_OUT', action: action.id };
    also(clock.later(msOf(action.timeout), () => cancel({ is: 'failed', failure })));
  });
}

/** What is sent: decided once. @throws ExpressionFailed */
export function inputOf(world: World, { input }: Written, at: At): Json {
  return input === undefined ? {} : (filled(world, input, at) ?? {});
}
