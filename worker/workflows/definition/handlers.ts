/** Reads `errorHandler`: what is done when an action fails. Spec: workflows.md §4. */

import { ERRORS } from '../../../proto/errors.ts';
import { isJsonObject, type Json } from '../../../proto/json.ts';
import { truncated } from '../../../proto/truncate.ts';
import type { Pieces } from '../../../proto/work/pieces.ts';
import { EMPTY } from './action.ts';
import type { Drafts } from './draft.ts';
import { COST, type Stand } from './expression.ts';
import { nameable } from './ids.ts';
import { type Members, SHOWN } from './members.ts';
import {
  HANDLER_MEMBERS,
  placeInErrorHandler,
  placeInHandler,
  QUEUE_MEMBERS,
  RETRY_MEMBERS,
} from './places.ts';
import type { Action, DeadLetters, Escalation, Retry } from './tree.ts';
import { ACTION_TYPES } from './type-names.ts';
import { readValue } from './value.ts';

/** A handler as it is written: what is absent is left to the default, null is switched off. */
export interface WrittenHandler {
  readonly retry: Retry | null | undefined;
  readonly fallback: Action | null | undefined;
  readonly route: { readonly to: string; readonly where: string } | null | undefined;
  readonly escalation: Escalation | null | undefined;
}

/** All that `errorHandler` says. */
export interface Handlers {
  readonly byDefault: WrittenHandler;
  readonly byId: ReadonlyMap<string, WrittenHandler>;
  readonly deadLetters: DeadLetters | undefined;
}

/** Where nothing is said. */
export const SILENT: WrittenHandler = {
  retry: undefined,
  fallback: undefined,
  route: undefined,
  escalation: undefined,
};
/** Spec: workflows.md §4, `retry`. */
export const RETRY: Retry = {
  maxAttempts: 3,
  initialMs: 1_000,
  rate: 2,
  maxMs: 300_000,
  jitter: false,
  on: undefined,
};
const DAY_MS = 86_400_000;
/** How long entries are kept when nothing else is said. */
const RETENTION_MS = 30 * DAY_MS;

/** Reads `errorHandler`; the actions of the definition are known. */
export function* readHandlers(drafts: Drafts, definition: Members): Pieces<Handlers> {
  const members = definition.members('errorHandler');
  const byId = new Map<string, WrittenHandler>();
  if (members === undefined) return { byDefault: SILENT, byId, deadLetters: undefined };
  members.refuseOthers(['default', 'actions', 'deadLetterQueue'], 'errorHandler', (name) =>
    drafts.byId.has(name) ? `errorHandler.actions.${name}` : placeInErrorHandler(name),
  );
  const main = members.members('default');
  const byDefault = main === undefined ? SILENT : yield* readHandler(drafts, main, undefined);
  const named = members.members('actions');
  for (const id of Object.keys(named?.object ?? {})) {
    const handler = named?.members(id);
    if (handler !== undefined) byId.set(id, yield* readHandler(drafts, handler, id));
  }
  // Also those that handlers bring themselves may be named; all of them are known now.
  for (const id of byId.keys()) {
    if (drafts.byId.has(id)) continue;
    const shown = truncated(id, SHOWN);
    const hint = drafts.report.hint(shown, nameable(drafts.byId.keys()));
    named?.fault(shown, `names no action: "${shown}"${hint}`);
  }
  return { byDefault, byId, deadLetters: readDeadLetters(members) };
}

/** @param id of the action that it is for; undefined for all */
function* readHandler(
  drafts: Drafts,
  members: Members,
  id: string | undefined,
): Pieces<WrittenHandler> {
  if (drafts.pace.isOver(COST.action)) yield;
  members.refuseOthers(HANDLER_MEMBERS, 'a handler', placeInHandler(members.path));
  return {
    retry: isOff(members, 'retry') ? null : readRetry(members),
    fallback: isOff(members, 'fallback') ? null : yield* readFallback(drafts, members, id),
    route: isOff(members, 'action') ? null : readRoute(members),
    escalation: isOff(members, 'escalation') ? null : yield* readEscalation(drafts, members, id),
  };
}

/** Whether a member is null, which switches it off. */
function isOff(members: Members, name: string): boolean {
  return members.get(name) === null;
}

function* readFallback(drafts: Drafts, members: Members, of: string | undefined) {
  const json = members.get('fallback');
  if (json === undefined) return undefined;
  const where = members.at('fallback');
  return yield* drafts.readOne({ json, where, place: { in: 'fallback', of } });
}

function readRoute(members: Members): WrittenHandler['route'] {
  const to = members.text('action');
  return to === undefined ? undefined : { to, where: members.at('action') };
}

function readRetry(handler: Members): Retry | undefined {
  const members = handler.members('retry');
  if (members === undefined) return undefined;
  const { initial, rate, max, on } = {
    initial: 'initialInterval',
    rate: ['backoffRate', 'multiplier'],
    max: 'maxInterval',
    on: ['retryableErrors', 'retryOnErrors'],
  } as const;
  members.refuseOthers(RETRY_MEMBERS, 'retry');
  const attempts = members.number('maxAttempts', { min: 1, max: 100, isInteger: true });
  const initialS = members.number(initial, { min: 0, max: 86_400 });
  const maxS = members.number(max, { min: 0, max: 2_592_000 });
  const times = members.number(oneOf(members, rate), { min: 1, max: 100 });
  return {
    maxAttempts: attempts ?? RETRY.maxAttempts,
    initialMs: initialS === undefined ? RETRY.initialMs : Math.round(initialS * 1_000),
    rate: times ?? RETRY.rate,
    maxMs: maxS === undefined ? RETRY.maxMs : Math.round(maxS * 1_000),
    jitter: members.flag('jitter', RETRY.jitter),
    on: readCodes(members, oneOf(members, on)),
  };
}

/** The one of two spellings that is there. */
function oneOf(members: Members, [one, other]: readonly [string, string]): string {
  if (members.has(one) && members.has(other))
    members.fault(other, `says what ${one} says: write one`);
  return members.has(other) && !members.has(one) ? other : one;
}

function readCodes(members: Members, name: string): ReadonlySet<string> | undefined {
  const codes = members.texts(name);
  for (const [index, code] of (codes ?? []).entries()) {
    if (RETRYABLE.has(code)) continue;
    const shown = truncated(code, SHOWN);
    const meant = members.report.hint(shown, RETRYABLE);
    const hint = meant.startsWith('; did you mean')
      ? meant
      : '; see the errors that an action may have';
    members.report.add(`${members.at(name)}.${index}`, `is no code of an error: "${shown}"${hint}`);
  }
  return codes && new Set(codes);
}

function* readEscalation(
  drafts: Drafts,
  handler: Members,
  id: string | undefined,
): Pieces<Escalation | undefined> {
  const members = handler.members('escalation');
  if (members === undefined) return undefined;
  members.refuseOthers(['threshold', 'notification', 'incident'], 'escalation');
  const threshold = members.number('threshold', { min: 1, max: 100, isInteger: true }) ?? 1;
  const stand: Stand =
    id === undefined
      ? { root: 'failure' }
      : { root: 'run', action: { ...EMPTY, id }, when: 'after' };
  const notification = yield* readMessage(drafts, members, { name: 'notification', id, stand });
  const incident = yield* readMessage(drafts, members, { name: 'incident', id, stand });
  const actions = [notification, incident].flatMap((each) => (each?.action ? [each.action] : []));
  return { threshold, notification: notification?.value, incident: incident?.value, actions };
}

/** What is told when an action has failed: a value, which may be an action as well. */
function* readMessage(
  drafts: Drafts,
  members: Members,
  { name, id, stand }: { readonly name: string; readonly id: string | undefined; stand: Stand },
) {
  const json = members.given(name);
  if (json === undefined) return undefined;
  const where = members.at(name);
  const action = isAction(json)
    ? yield* drafts.readOne({
        ...{ json, where, place: { in: 'escalation', of: id } },
        id: `${(id ?? 'default').slice(0, 50)}-${name}`,
      })
    : undefined;
  return { value: yield* readValue(drafts, json, where, stand), action };
}

/** Whether what is told is run as well. */
function isAction(json: Json): boolean {
  return isJsonObject(json) && ACTION_TYPES.some((type) => type === json.type);
}

function readDeadLetters(handler: Members): DeadLetters | undefined {
  const members = handler.members('deadLetterQueue');
  if (members === undefined) return undefined;
  members.refuseOthers(QUEUE_MEMBERS, 'deadLetterQueue');
  const read = {
    destination: members.text('destination'),
    includeState: members.flag('includeState', false),
    retryable: members.flag('retryable', true),
    retentionMs: members.duration('retention') ?? RETENTION_MS,
  };
  return members.flag('enabled', true) ? read : undefined;
}

/** Codes that actions have of their own. */
const ACTION_CODES = [
  'INVALID_INPUT',
  'NO_OPTION',
  'TIMED_OUT',
  'CANCELLED',
  'EXPRESSION_FAILED',
  'TASK_REJECTED',
  'UPSTREAM_STATUS',
  'WORKFLOW_PAUSED',
] as const;

/** What `retryableErrors` may name besides codes: all, and what may go away by itself. */
const CODE_GROUPS = ['*', 'TRANSIENT'] as const;

/** Whatever `retryableErrors` may name. */
const RETRYABLE: ReadonlySet<string> = new Set([
  ...CODE_GROUPS,
  ...ACTION_CODES,
  ...Object.keys(ERRORS),
]);
