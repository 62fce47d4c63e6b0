/** What each effect of a run does outside; the receivers know what they were told before. */

import type { Ref } from '../engine/journal.ts';
import { type Claimed, claimed } from '../engine/machine.ts';
import type { Turn } from '../engine/turn.ts';
import { compensationOf } from './compensation.ts';
import { contextsOf } from './contexts.ts';
import { endedOutside } from './ended.ts';
import { nextExpiry } from './expiry.ts';
import type { RunEffect } from './head.ts';
import type { RunRow } from './journal.ts';
import { dropWaiter, settleKey, type Waiter } from './keys.ts';
import type { ChildOutcome, Owner, WorkflowRunsObject } from './object.ts';
import { type Reachable, runsObject } from './reachable.ts';
import { sourcesOf } from './sources.ts';
import { startChild } from './start-child.ts';
import { closeTask, openTask } from './task-rows.ts';
import { LOOKUP_MS, withinTime } from './time-limit.ts';

/** Does an effect. @throws what the receiver fails with: then it is done again */
export async function deliver(at: Reachable, row: RunRow, effect: RunEffect): Promise<void> {
  if (effect.do === 'claim') await claim(at, row, effect);
  else if (effect.do === 'settle') await settleOutside(at, row, effect);
  else if (effect.do === 'listen' || effect.do === 'unlisten') await listen(at, row, effect);
  else if (effect.do === 'start-child') {
    await at.driver.admitted(() => startChild(at, row, effect));
  } else if (effect.do === 'cancel-child') {
    await runsObject(at.env, row.head.orgUuid, effect.child).cancel(effect.child);
  } else if (effect.do === 'undo-child') {
    await runsObject(at.env, row.head.orgUuid, effect.child).undo(effect.child);
  } else if (effect.do === 'open-task') await openTask(at, row, effect);
  else if (effect.do === 'close-task') await closeTask(at, row, effect);
  else if (effect.do === 'enter') await enter(at, row, effect);
  else if (effect.do === 'undone') await tellUndone(at, row);
  else if (effect.do === 'end') await end(at, row);
}

type Of<What extends RunEffect['do']> = Extract<RunEffect, { do: What }>;

function ownerOf({ head: { orgUuid, orgId, sealedDataKey } }: RunRow): Owner {
  return { orgUuid, orgId, sealedDataKey };
}

async function claim({ env, driver }: Reachable, row: RunRow, { key, path }: Of<'claim'>) {
  const object = runsObject(env, row.head.orgUuid, key);
  const standing = await object.claim(ownerOf(row), key, row.id, path);
  const from =
    standing.is === 'done' ? await sourcesIn({ env, driver }, row, path) : { reached: [] };
  await driver.act(row.run, (turn, journal) => {
    if ('failure' in from) return claimed(turn, path, { is: 'refused', failure: from.failure });
    journal.reach(from.reached);
    claimed(turn, path, answerOf(turn, standing));
  });
}

/** Gives a key of this object its end, and tells the actions that wait for it. */
export async function settleHere(
  { env, driver }: Reachable,
  name: string,
  of: Waiter,
  as: 'done' | 'unknown' | 'free',
  text: string | undefined,
): Promise<void> {
  const { keeper } = driver;
  const now = Date.now();
  const told = settleKey(keeper, name, of, as, text, now);
  await Promise.all(
    told.map(async (waiter) => {
      const object = runsObject(env, keeper.owner.orgUuid, waiter.run);
      await object.keyEnded(waiter.run, waiter.path);
      dropWaiter(keeper, name, waiter);
    }),
  );
  driver.arm(nextExpiry(keeper) ?? now);
}

/** A key that an action waits for has come to an end: it is asked for again. */
export function claimAgain(journal: Turn['journal'], path: string): void {
  const node = journal.node(path);
  const key = node?.state.key;
  if (node?.phase === 'key' && key !== undefined) journal.effect({ do: 'claim', path, key });
}

/** Where an action's output comes from that another run brought. */
async function sourcesIn(
  { env, driver }: Reachable,
  row: RunRow,
  path: string,
): ReturnType<typeof sourcesOf> {
  const node = driver.keeper.nodeAt(row.run, path);
  const action = node && driver.workflowOf(row)?.byId.get(node.action);
  if (action?.type !== 'endpoint' && action?.type !== 'template') return { reached: [] };
  return withinTime(LOOKUP_MS, (signal) => {
    const contexts = contextsOf(env, row, signal, driver.later);
    return sourcesOf(contexts, action, row.head.pins);
  });
}

function answerOf(
  { journal }: Turn,
  standing: Awaited<ReturnType<WorkflowRunsObject['claim']>>,
): Claimed {
  if (standing.is !== 'done') return standing;
  const { text } = standing;
  return { is: 'done', output: text === undefined ? undefined : journal.keep(text) };
}

async function settleOutside({ env, driver }: Reachable, row: RunRow, effect: Of<'settle'>) {
  const { key, path, as, output } = effect;
  const text = output === undefined ? undefined : driver.keeper.text(row.run, output);
  const object = runsObject(env, row.head.orgUuid, key);
  await object.settle(ownerOf(row), key, row.id, path, as, text);
}

async function listen(
  { env }: Reachable,
  row: RunRow,
  effect: Of<'listen'> | Of<'unlisten'>,
): Promise<void> {
  const events = env.ORGANIZATION_EVENTS.getByName(row.head.orgUuid);
  if (effect.do === 'unlisten') return events.unlisten(row.id, effect.path);
  const { path, source, pattern, after } = effect;
  await events.listen(ownerOf(row), { run: row.id, path, source, pattern, after });
}

async function enter({ env, driver }: Reachable, row: RunRow, { gate, ...entry }: Of<'enter'>) {
  const object = runsObject(env, row.head.orgUuid, gate);
  if (await object.enter(ownerOf(row), gate, entry, row.id)) await driver.release(row.id);
}

/** What a parent is told of its child's end. */
function outcomeOf({ driver: { keeper } }: Reachable, row: RunRow): ChildOutcome {
  const { status, output, error } = row.body;
  const reached = keeper.reachedOf(row.run);
  const textOf = (ref: Ref) => keeper.text(row.run, ref);
  if (status === 'succeeded') {
    return { is: 'succeeded', ...(output === undefined ? {} : { text: textOf(output) }), reached };
  }
  const { code, message } =
    error === undefined ? UNTOLD : (JSON.parse(textOf(error)) as DeliveryFailure);
  return { is: 'failed', code, message, reached };
}

type DeliveryFailure = { readonly code: string; readonly message: string };
const UNTOLD: DeliveryFailure = { code: 'INTERNAL', message: 'The run ended' };

async function end(at: Reachable, row: RunRow): Promise<void> {
  const { env } = at;
  const { parent, gate, orgUuid } = row.head;
  if (row.body.endedAt === 0) return;
  if (gate) await runsObject(env, orgUuid, gate.name).leave(gate.name, gate.max, row.id);
  if (parent) {
    const object = runsObject(env, orgUuid, parent.run);
    await object.childEnded(parent.run, parent.path, row.id, outcomeOf(at, row));
  }
  await endedOutside(at, row);
  if (row.head.tellsEnd) await tellSchedule(at, row);
}

async function tellSchedule({ env }: Reachable, { id, head }: RunRow): Promise<void> {
  const { orgUuid, workflow, trigger } = head;
  const schedules = env.WORKFLOW_SCHEDULES.getByName(orgUuid);
  await schedules.runEnded(workflow.uuid, trigger.index ?? 0, id);
}

async function tellUndone({ env }: Reachable, row: RunRow): Promise<void> {
  const { parent, orgUuid } = row.head;
  if (!parent) return;
  const object = runsObject(env, orgUuid, parent.run);
  await object.childUndone(parent.run, parent.path, compensationOf(row.body));
}
