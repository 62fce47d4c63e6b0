/** How each type of action begins. Spec: workflows.md §3. */
import type { Plain, PlainObject } from '../../language/expressions/index.ts';
import type {
  Action,
  EndpointAction,
  HumanTaskAction,
  SubworkflowAction,
  TemplateAction,
  Value,
  WaitAction,
} from '../definition/tree.ts';
import { startDynamic, startLoop, startParallel } from './containers.ts';
import { durationMs, timeOf } from './duration.ts';
import { decide, fail, succeed, timeOut, viewpoint } from './ending.ts';
import { ActionFault, failureOf } from './failure.ts';
import type { Node } from './journal.ts';
import { Scope } from './scope.ts';
import { endWait, taskOf, tellTask } from './stop.ts';
import { actionOf, end, keepJson, setPhase, type Turn } from './turn.ts';

/** Runs within each other, the first counted. Spec: workflows.md §3, `subworkflow`. */
export const DEPTH_MAX = 8;
/** Milliseconds of one attempt of a template. Spec: workflows.md §3. */
export const TEMPLATE_TIMEOUT_MS = 60_000;

/** Begins a node that is ready: its key first, where it has one. */
export function start(turn: Turn, node: Node): void {
  if (node.phase !== 'ready') return;
  if (node.stopping) {
    end(turn, node, 'cancelled');
    return;
  }
  const action = actionOf(turn, node);
  guarded(turn, node, () => {
    if (action.idempotencyKey && node.state.key === undefined) claim(turn, node, action);
    else startAttempt(turn, node, action);
  });
}

/** An action that throws has failed. */
function guarded(turn: Turn, node: Node, work: () => void): void {
  try {
    work();
  } catch (thrown) {
    fail(turn, node, failureOf(thrown, node.action));
  }
}

function claim(turn: Turn, node: Node, action: Action): void {
  const { idempotencyKey } = action;
  const value = idempotencyKey && new Scope(turn, viewpoint(node)).evaluate(idempotencyKey);
  if (value === undefined || value === null) {
    throw new ActionFault('INVALID_INPUT', 'idempotencyKey: has no value');
  }
  const { run } = turn;
  const key = turn.journal.keyName(action.id, JSON.stringify(value));
  node.state.key = key;
  run.order += 1;
  node.state.claim = run.order;
  setPhase(turn, node, 'key', 'running');
  turn.journal.effect({ do: 'claim', path: node.path, key });
  const limit = action.timeoutMs ?? (action.type === 'template' ? TEMPLATE_TIMEOUT_MS : undefined);
  if (limit !== undefined) turn.journal.due(turn.now + limit, node.path, 'timeout');
}

/** Begins the next attempt of a node that has no idempotency key, or already holds it. */
export function startAttempt(turn: Turn, node: Node, action: Action): void {
  node.attempts += 1;
  node.attemptAt = turn.now;
  turn.journal.touch(node);
  guarded(turn, node, () => {
    if (action.type === 'endpoint' || action.type === 'template') startCall(turn, node, action);
    else startOther(turn, node, action);
  });
}

function startOther(turn: Turn, node: Node, action: Action): void {
  const limited = action.type === 'parallel' || action.type === 'loop';
  if ((limited || action.type === 'subworkflow') && action.timeoutMs !== undefined) {
    turn.journal.due(turn.now + action.timeoutMs, node.path, 'timeout');
  }
  if (action.type === 'condition') {
    node.state.holds = decide(turn, node, action);
    succeed(turn, node, keepJson(turn, node.state.holds));
  } else if (action.type === 'parallel') startParallel(turn, node, action);
  else if (action.type === 'loop') startLoop(turn, node, action);
  else if (action.type === 'dynamicAction') startDynamic(turn, node, action);
  else if (action.type === 'subworkflow') startChild(turn, node, action);
  else if (action.type === 'humanTask') startTask(turn, node, action);
  else if (action.type === 'wait') startWait(turn, node, action);
}

/** What is sent is decided once; every attempt sends the same. */
function startCall(turn: Turn, node: Node, action: EndpointAction | TemplateAction): void {
  if (node.input === undefined) {
    const value = action.type === 'endpoint' ? action.request : action.input;
    const input = value === undefined ? {} : new Scope(turn, viewpoint(node)).value(value);
    node.input = keepJson(turn, input ?? (action.type === 'endpoint' ? null : {}));
  }
  setPhase(turn, node, 'attempt', 'running');
  turn.journal.call(node);
}

function startChild(turn: Turn, node: Node, action: SubworkflowAction): void {
  const { journal, run } = turn;
  if (run.depth + 1 > DEPTH_MAX) {
    const message = `Workflows are run at most ${DEPTH_MAX} deep, the first counted`;
    throw new ActionFault('INVALID_INPUT', message);
  }
  if (node.input === undefined) {
    const { input } = action;
    const made = input === undefined ? {} : new Scope(turn, viewpoint(node)).value(input);
    node.input = keepJson(turn, made ?? {});
  }
  // Of every attempt another, also when what the action is part of begins again.
  run.order += 1;
  const child = journal.idOf('child', node.path, run.order);
  Object.assign(node.state, { wait: 'child', child });
  delete node.state.timedOut;
  setPhase(turn, node, 'wait', 'waiting');
  const { workflow, waitForCompletion: waits } = action;
  journal.effect({ do: 'start-child', path: node.path, child, workflow, waits });
}

function startWait(turn: Turn, node: Node, { wait, timeout }: WaitAction): void {
  const { journal, now, run } = turn;
  const scope = new Scope(turn, viewpoint(node));
  setPhase(turn, node, 'wait', 'waiting');
  node.state.wait = wait.mode === 'duration' || wait.mode === 'until' ? 'time' : wait.mode;
  if (wait.mode === 'duration') {
    journal.due(now + durationMs(scope.value(wait.duration), 'duration'), node.path, 'wake');
  } else if (wait.mode === 'until') {
    journal.due(timeOf(scope.value(wait.until), 'until'), node.path, 'wake');
  } else if (wait.mode === 'callback') {
    const came = journal.takeCallback(node.path);
    if (came !== undefined) {
      succeed(turn, node, came);
      return;
    }
  } else {
    const source = scope.text(wait.source, 'eventSource');
    const { pattern, since } = wait;
    const after = since === 'run' ? run.eventsAfter : undefined;
    journal.effect({ do: 'listen', path: node.path, source, pattern, after });
  }
  if (timeout === undefined) return;
  journal.due(
    now + durationMs(scope.value(timeout.duration), 'timeout.duration'),
    node.path,
    'timeout',
  );
}

/** What a task asks, and who may answer, is decided once; it is the input of the action. */
function startTask(turn: Turn, node: Node, action: HumanTaskAction): void {
  const { journal, now } = turn;
  const scope = new Scope(turn, viewpoint(node));
  if (node.input === undefined) node.input = keepJson(turn, contentOf(scope, action));
  setPhase(turn, node, 'wait', 'waiting');
  node.state.wait = 'task';
  // Who rejected an earlier one has not completed this one.
  node.by = undefined;
  delete node.state.escalated;
  // An answer to an earlier one is none to this one.
  if (node.attempts > 1) {
    node.state.task = journal.idOf('task', node.path, node.begun, node.attempts);
  }
  if (action.timeout) {
    const duration = durationMs(scope.value(action.timeout.duration), 'timeout.duration');
    journal.due(now + duration, node.path, 'timeout');
  }
  openTask(turn, node, false);
  tellTask(turn, node, 'task.created');
}

function openTask(turn: Turn, node: Node, escalated: boolean): void {
  const task = taskOf(turn, node);
  turn.journal.effect({ do: 'open-task', path: node.path, task, escalated });
}

function contentOf(scope: Scope, action: HumanTaskAction) {
  const { assignees, fields } = action;
  const title = scope.text(action.title, 'title');
  const description = scope.optionalText(action.description, 'description');
  return {
    title,
    ...(description === undefined ? {} : { description }),
    assignees: assigneesOf(scope, assignees),
    form: {
      fields: fields.map(({ id, type, label, required, options }) => ({
        id,
        type,
        ...(label === undefined ? {} : { label }),
        required,
        ...(options === undefined ? {} : { options: optionsOf(scope, options) }),
      })),
    },
  };
}

/** One text stands for a list of one. Nobody could complete a task whose assignees are something else: it would wait for ever. */
function assigneesOf(scope: Scope, assignees: Value): Plain {
  const found = scope.value(assignees);
  if (typeof found !== 'object' || found === null || Array.isArray(found)) {
    throw new ActionFault('INVALID_INPUT', 'assignees: must be an object');
  }
  const { roles, users } = found as PlainObject;
  let names = 0;
  for (const [name, named] of Object.entries({ roles, users })) {
    const list = Array.isArray(named) ? named : [named];
    // What an expression did not find is null in a list.
    if (!list.every((each) => typeof each === 'string' || (each ?? undefined) === undefined))
      throw new ActionFault('INVALID_INPUT', `assignees.${name}: must be a list of texts`);
    names += list.filter((each) => typeof each === 'string' && each.trim() !== '').length;
  }
  if (names === 0) {
    throw new ActionFault('INVALID_INPUT', 'assignees: must name roles or users');
  }
  return found;
}

function optionsOf(
  scope: Scope,
  options: NonNullable<HumanTaskAction['fields'][number]['options']>,
) {
  const found = scope.value(options);
  if (!Array.isArray(found)) throw new ActionFault('INVALID_INPUT', 'options: must be a list');
  if (found.every(isOption)) return found;
  throw new ActionFault('INVALID_INPUT', 'options: must be texts, or objects with a text value');
}

function isOption(option: Plain): boolean {
  const value =
    typeof option === 'object' && option !== null ? (option as PlainObject).value : option;
  return typeof value === 'string' && value !== '';
}

/** The time of a task is over: more people may complete it, once; then it fails. */
export function taskTimedOut(turn: Turn, node: Node, { timeout }: HumanTaskAction): void {
  const { journal, now } = turn;
  if (!timeout) return;
  if (timeout.escalation && !node.state.escalated) {
    node.state.escalated = true;
    const scope = new Scope(turn, viewpoint(node));
    guarded(turn, node, () => {
      const duration = durationMs(scope.value(timeout.duration), 'timeout.duration');
      journal.due(now + duration, node.path, 'timeout');
      openTask(turn, node, true);
      tellTask(turn, node, 'task.escalated', { escalation: [...(timeout.escalation ?? [])] });
    });
    journal.touch(node);
    return;
  }
  endWait(turn, node, 'expired');
  timeOut(turn, node, timeout);
}
