/** The state of the actions of a definition to each other, and which handlers they have. Spec: workflows.md §1, §4. */
import { ERRORS, isErrorCode } from '../../../../proto/errors.ts';
import { isJsonObject, type Json } from '../../../../proto/json.ts';
import {
  type Definition,
  listOf,
  type Written,
  type WrittenHandler,
  type WrittenRetry,
} from '../written.ts';

/** Where an action is: in a list of its container, or for or beside another. */
interface Standing {
  readonly action: Written;
  readonly part:
    | 'top'
    | 'branch'
    | 'element'
    | 'option'
    | 'fallback'
    | 'compensation'
    | 'escalation';
  /** Undefined at the top, and for what all actions share. */
  readonly container: Written | undefined;
  readonly branch?: number;
}

/** Why an action failed. */
export interface Failure {
  readonly code: string;
  readonly action: string;
  readonly details?: Json;
  readonly retryAfterMs?: number;
}

/** What an action's failures lead to. */
export interface Handler {
  readonly retry: WrittenRetry | undefined;
  readonly fallback: Written | undefined;
  readonly route: string | undefined;
  readonly escalation: Exclude<WrittenHandler['escalation'], null>;
}

/** A definition, by the ids of its actions. */
export class Tree {
  readonly definition: Definition;
  readonly byId = new Map<string, Standing>();

  constructor(definition: Definition) {
    this.definition = definition;
    for (const action of definition.actions)
      this.#add({ action, part: 'top', container: undefined });
    const { default: byDefault, actions = {} } = definition.errorHandler ?? {};
    if (byDefault) this.#addHandler(byDefault, undefined);
    for (const [id, handler] of Object.entries(actions)) {
      this.#addHandler(handler, this.byId.get(id)?.action);
    }
  }

  get isGraph(): boolean {
    return this.definition.actions.some(({ after }) => after !== undefined);
  }

  #add(standing: Standing): void {
    const { action } = standing;
    this.byId.set(action.id, standing);
    const container = action;
    for (const [branch, list] of (action.branches ?? []).entries()) {
      for (const each of listOf(list))
        this.#add({ action: each, part: 'branch', container, branch });
    }
    for (const each of action.action ? listOf(action.action) : []) {
      this.#add({ action: each, part: 'element', container });
    }
    for (const each of Object.values(action.selection?.options ?? {})) {
      this.#add({ action: each, part: 'option', container });
    }
    const otherwise = action.selection?.default;
    if (otherwise && typeof otherwise !== 'string') {
      this.#add({ action: otherwise, part: 'option', container });
    }
    if (action.compensation) {
      this.#add({ action: action.compensation, part: 'compensation', container });
    }
  }

  #addHandler({ fallback, escalation }: WrittenHandler, container: Written | undefined): void {
    if (fallback) this.#add({ action: fallback, part: 'fallback', container });
    for (const action of escalated(escalation))
      this.#add({ action, part: 'escalation', container });
  }

  /** Whether an action is, or is inside, what stands for or beside another in that way. */
  isIn(id: string, part: Standing['part']): boolean {
    const standing = this.byId.get(id);
    if (!standing) return false;
    return (
      standing.part === part ||
      (standing.container ? this.isIn(standing.container.id, part) : false)
    );
  }

  /** The action of the top that another is part of; undefined where it is no part of the run itself. */
  #topOf(id: string): string | undefined {
    const standing = this.byId.get(id);
    if (!standing || ['fallback', 'compensation', 'escalation'].includes(standing.part)) {
      return undefined;
    }
    return standing.container ? this.#topOf(standing.container.id) : id;
  }

  handlerOf(action: Written): Handler {
    const { actions = {} } = this.definition.errorHandler ?? {};
    const merged = { ...this.#shared(action), ...actions[action.id] };
    return {
      retry: merged.retry ?? undefined,
      fallback: merged.fallback ?? undefined,
      route: merged.action ?? undefined,
      escalation: merged.escalation ?? undefined,
    };
  }

  /** What of the default holds for an action. */
  #shared(action: Written): WrittenHandler {
    const { default: byDefault = {} } = this.definition.errorHandler ?? {};
    const top = this.#topOf(action.id);
    const shared = { ...byDefault };
    const isCall = action.type === 'endpoint' || action.type === 'template';
    if (!isCall) delete shared.retry;
    if (this.byId.get(action.id)?.part === 'compensation') shared.retry = { maxAttempts: 5 };
    if (top === undefined) delete shared.fallback;
    if (top === undefined || !this.#isRouted(top, byDefault.action)) delete shared.action;
    if (this.isIn(action.id, 'escalation')) delete shared.escalation;
    return shared;
  }

  /** `default.action` does not hold for its target and what follows that. */
  #isRouted(top: string, target: string | null | undefined): boolean {
    return typeof target === 'string' && !this.#follows(target).has(top);
  }

  #follows(id: string, known = new Set<string>()): Set<string> {
    if (known.has(id)) return known;
    known.add(id);
    const action = this.byId.get(id)?.action;
    for (const target of action ? targetsOf(action) : []) this.#follows(target, known);
    const routes = this.definition.errorHandler?.actions ?? {};
    for (const [from, { action: route }] of Object.entries(routes)) {
      if (route && this.#topOf(from) === id) this.#follows(route, known);
    }
    return known;
  }
}

/** Ids that may follow an action in its list. */
function targetsOf({ next, true: yes, false: no, timeout }: Written): string[] {
  const choice = typeof next === 'object' && next !== null ? [next.true, next.false] : [next];
  const timed = typeof timeout === 'object' ? [timeout.action] : [];
  return [...choice, yes, no, ...timed].filter((id) => typeof id === 'string');
}

/** What of an escalation is run as an action. */
export function escalated(escalation: WrittenHandler['escalation']): Written[] {
  return [escalation?.notification, escalation?.incident].flatMap((one) =>
    one !== undefined && isJsonObject(one) && typeof one.type === 'string'
      ? [one as unknown as Written]
      : [],
  );
}

const NEVER = [
  'OUTCOME_UNKNOWN',
  'CANCELLED',
  'INVALID_INPUT',
  'NO_OPTION',
  'EXPRESSION_FAILED',
  'TASK_REJECTED',
];

/** Whether a failed attempt is made again, by its code alone. Spec: workflows.md §4. */
export function isRetryable(action: Written, retry: WrittenRetry, failure: Failure): boolean {
  const { code } = failure;
  const named = retry.retryableErrors ?? retry.retryOnErrors;
  if (named === undefined) return isRetriedUnnamed(action, code);
  if (named.includes(code)) return true;
  if (code === 'OUTCOME_UNKNOWN' || code === 'CANCELLED') return false;
  return named.includes('*') || (named.includes('TRANSIENT') && isTransient(action, failure));
}

function isRetriedUnnamed({ type }: Written, code: string): boolean {
  if (NEVER.includes(code)) return false;
  if (code === 'TIMED_OUT') return type !== 'wait' && type !== 'humanTask';
  if (code === 'REQUEST_FAILED' || !isErrorCode(code)) return true;
  return ![400, 401, 403, 404, 413, 415, 501].includes(ERRORS[code].status);
}

function isTransient({ type, operation }: Written, { code, details }: Failure): boolean {
  if (code === 'TIMED_OUT') return type === 'endpoint' && operation === 'read';
  if (code === 'UPSTREAM_STATUS') {
    const status = details !== undefined && isJsonObject(details) ? details.status : undefined;
    return [408, 425, 429, 502, 503, 504].includes(Number(status));
  }
  return ['CONNECTION_FAILED', 'NODE_UNAVAILABLE', 'POOL_EXHAUSTED', 'RATE_LIMITED'].includes(code);
}

/** Milliseconds until the next attempt; what is random is half of what it may be. */
export function delayOf(retry: WrittenRetry, failures: number, wantedMs = 0): number {
  const { initialInterval = 1, maxInterval = 300, jitter = false } = retry;
  const rate = retry.backoffRate ?? retry.multiplier ?? 2;
  const first = Math.round(initialInterval * 1000);
  const ms = Math.min(Math.round(maxInterval * 1000), first * rate ** (failures - 1));
  return Math.max(Math.round(jitter ? ms * 0.75 : ms), wantedMs);
}
