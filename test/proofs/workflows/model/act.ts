/** One action from its start to its end: key, attempts, escalation, fallback. Spec: workflows.md §4. */
import type { Json } from '../../../../proto/json.ts';
import type { Written } from '../written.ts';
import {
  type Acting,
  endCut,
  endFailed,
  expressionFailed,
  followsOf,
  holdsOf,
  isUndone,
  note,
  STOPPED,
} from './acting.ts';
import { attempt } from './attempt.ts';
import { Stop } from './clock.ts';
import { claim, settleKey } from './keys.ts';
import { filled } from './scope.ts';
import type { At, Ended, Made } from './steps.ts';
import { delayOf, escalated, type Failure, isRetryable } from './tree.ts';
import { undoBelow } from './undo.ts';
import { isBelow, type Ran, type World } from './world.ts';

/** Runs an action to its end. */
export async function act(world: World, action: Written, at: At): Promise<Ended> {
  if (at.stop.isStopped) return STOPPED;
  const ran = world.begin(at.frame + action.id, action.id, at.env);
  const handler = world.tree.handlerOf(action);
  const acting: Acting = { world, action, ran, at, handler, sent: undefined };
  for (let failures = 1; ; failures += 1) {
    const ended = await once(acting, failures);
    if (ended) return ended;
  }
}

/** One attempt with what follows from its failure; undefined when there is to be another. */
async function once(acting: Acting, failures: number): Promise<Ended | undefined> {
  const { world, action, ran, at } = acting;
  const key = await claim(world, action, ran, at);
  if (key.is === 'earlier') return succeed(acting, key.output, { isOwn: false });
  if (key.is === 'unknown') {
    const failure = { code: 'OUTCOME_UNKNOWN', action: action.id };
    note(acting, failure);
    return giveUp(acting, failure);
  }
  const made = key.is === 'own' ? await attempt(acting, act) : key;
  if (made.is === 'output') return succeed(acting, made.output, { isOwn: true });
  if (made.is === 'cut') return endCut(acting);
  note(acting, made.failure);
  const isHandled = made.is === 'timed-out' || made.route !== undefined;
  if (isHandled || at.stop.isStopped) {
    endFailed(acting);
    if (at.stop.isStopped) return STOPPED;
    return made.is === 'failed' ? made : { is: 'done', output: undefined, follows: made.to };
  }
  escalate(acting, failures);
  return again(acting, made, failures);
}

/** @param isOwn false: an earlier action with the same key had the effect */
async function succeed(
  acting: Acting,
  output: Json | undefined,
  { isOwn }: { readonly isOwn: boolean },
): Promise<Ended> {
  const { world, action, ran, at } = acting;
  try {
    const replaced = isOwn && action.output !== undefined;
    // An earlier action kept its output, which does not tell what it decided where that was replaced.
    const isUntold = action.type === 'condition' && action.output !== undefined;
    if (!isOwn && isUntold) ran.holds = holdsOf(acting);
    ran.output = replaced ? filled(world, action.output ?? null, at, { output }) : output;
    ran.error = undefined;
    world.end(ran, 'succeeded');
    const follows = followsOf(acting);
    ran.toUndo = isOwn && isUndone(world, action);
    if (isOwn) settleKey(world, ran, 'done');
    return at.stop.isStopped ? STOPPED : { is: 'done', output: ran.output, follows };
  } catch (thrown) {
    ran.holds = undefined;
    const failure = expressionFailed(action, thrown);
    note(acting, failure);
    ran.isUnknown = true;
    if (!at.stop.isStopped) return giveUp(acting, failure);
    endFailed(acting);
    return STOPPED;
  }
}

/** Once per action of a run: what is told, and what runs alongside. */
function escalate({ world, ran, at, handler: { escalation } }: Acting, failures: number): void {
  if (!escalation || failures < (escalation.threshold ?? 1) || world.told.has(ran.path)) return;
  world.told.add(ran.path);
  const view = { ...at, error: ran.error };
  const told = { notification: escalation.notification, incident: escalation.incident };
  const data = Object.entries(told).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, filled(world, value, view) ?? null] as const],
  );
  world.log('escalated', ran.path, Object.fromEntries(data));
  for (const action of escalated(escalation)) {
    const beside = { ...view, frame: `${ran.path}.`, stop: new Stop() };
    world.escalations.push(act(world, action, beside));
  }
}

/** Lets the time of the next attempt come, once what the last one did is undone; else the action ends. */
async function again(
  acting: Acting,
  { failure }: Extract<Made, { is: 'failed' }>,
  failures: number,
): Promise<Ended | undefined> {
  const { world, action, ran, at, handler } = acting;
  const { retry } = handler;
  if (!retry || failures >= retry.maxAttempts || !isRetryable(action, retry, failure)) {
    return giveUp(acting, failure);
  }
  ran.status = 'retrying';
  if (hasRunOthers(world, ran)) {
    const undoing = { below: ran.path, error: ran.error, stop: at.stop };
    const isWhole = await undoBelow(world, act, undoing);
    if (at.stop.isStopped) {
      endFailed(acting);
      return STOPPED;
    }
    if (!isWhole) return giveUp(acting, failure);
    putAside(world, ran);
  }
  const isTime = await pause(acting, delayOf(retry, failures, failure.retryAfterMs));
  return isTime ? undefined : endCut(acting);
}

/** Whether it was not stopped before. */
function pause({ world, at }: Acting, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const takeBack = world.clock.later(ms, () => resolve(true));
    at.stop.listen(() => {
      takeBack();
      resolve(false);
    });
  });
}

function hasRunOthers({ tree, ran: all }: World, { id, path }: Ran): boolean {
  const isContainer = ['parallel', 'loop', 'dynamicAction'].includes(
    tree.byId.get(id)?.action.type ?? '',
  );
  return isContainer && [...all.keys()].some((each) => isBelow(each, path));
}

/** The record shows what an earlier attempt ran, and expressions no longer see it. */
function putAside(world: World, { path }: Ran): void {
  for (const each of [...world.ran.values()]) {
    if (!isBelow(each.path, path) || each.ended < 0) continue;
    world.ran.delete(each.path);
    world.before.push(each);
  }
}

/** No attempt is left: a fallback stands for it, or the failure goes on. */
async function giveUp(acting: Acting, failure: Failure): Promise<Ended> {
  const { world, action, ran, at, handler } = acting;
  endFailed(acting);
  const { fallback, route } = handler;
  if (!fallback) return at.stop.isStopped ? STOPPED : { is: 'failed', failure, route };
  const ended = await act(world, fallback, { ...at, frame: `${ran.path}.`, error: ran.error });
  const stood = world.ran.get(`${ran.path}.${fallback.id}`);
  if (stood?.status === 'succeeded') ran.output = stood.output;
  if (ended.is === 'stopped' || at.stop.isStopped) return STOPPED;
  if (ended.is === 'failed') return { ...ended, route: ended.route ?? route };
  ran.output = ended.output;
  try {
    return { ...ended, follows: followsOf(acting) };
  } catch (thrown) {
    return { is: 'failed', failure: expressionFailed(action, thrown), route };
  }
}
