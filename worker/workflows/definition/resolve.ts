/** Gives each action its handler: what is under its id, and else the default as far as it holds. Spec: workflows.md §4. */
import type { Draft } from './draft.ts';
import { RETRY, SILENT, type WrittenHandler } from './handlers.ts';
import type { Structure } from './structure.ts';
import type { Action, Handler, Retry } from './tree.ts';

/** Spec: workflows.md §4: a compensation "is tried 5 times unless the handler says otherwise for its id". */
const OF_COMPENSATIONS: Retry = { ...RETRY, maxAttempts: 5 };

/** Resolves the handlers of all actions. */
export function resolveHandlers(structure: Structure): void {
  for (const action of structure.drafts.byId.values())
    action.handler = handlerOf(structure, action);
}

function handlerOf(structure: Structure, action: Draft): Handler {
  const own = structure.handlers.byId.get(action.id) ?? SILENT;
  const byDefault = defaultFor(structure, action);
  const pick = <Name extends keyof WrittenHandler>(name: Name) =>
    (own[name] === undefined ? byDefault[name] : own[name]) ?? undefined;
  return {
    retry: pick('retry'),
    fallback: pick('fallback'),
    route: pick('route')?.to,
    escalation: pick('escalation'),
  };
}

/** What of the default holds for an action that is not named. */
function defaultFor(structure: Structure, action: Draft): WrittenHandler {
  const { byDefault } = structure.handlers;
  const root = structure.rootOf(action);
  const isMain = root === 'workflow';
  return {
    retry: retryFor(action, byDefault.retry),
    fallback: isMain ? byDefault.fallback : undefined,
    route: structure.isRouted(action) ? byDefault.route : undefined,
    escalation: root === 'escalation' ? undefined : byDefault.escalation,
  };
}

function retryFor(action: Draft, byDefault: WrittenHandler['retry']): WrittenHandler['retry'] {
  if (action.place.in === 'compensation') return OF_COMPENSATIONS;
  const { type } = action as Partial<Action>; // Undefined where a fault was told.
  return type === 'endpoint' || type === 'template' ? byDefault : undefined;
}
