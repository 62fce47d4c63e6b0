/** Where members of a definition belong that are written elsewhere: most products have them in the action itself. */

/** Members of `errorHandler.deadLetterQueue`. */
export const QUEUE_MEMBERS = ['enabled', 'destination', 'includeState', 'retryable', 'retention'];
/** Members of a handler, of all actions or of one. */
export const HANDLER_MEMBERS = ['retry', 'fallback', 'action', 'escalation'];
/** Members of `retry`, of which some have two spellings. */
export const RETRY_MEMBERS = [
  ...['maxAttempts', 'initialInterval', 'backoffRate', 'multiplier', 'maxInterval', 'jitter'],
  ...['retryableErrors', 'retryOnErrors'],
];

/** Where a member belongs; undefined of one that is known nowhere, or in many places. */
export type PlaceOf = (name: string) => string | undefined;

/** Of `executionSettings`, those that have an effect. */
const SETTINGS = ['timeout', 'maxConcurrency', 'concurrencyKey', 'retention'];
const OF_WORKFLOW = ['trigger', 'executionSettings', 'runAs', 'start'];
const OF_ACTION = ['next', 'after', 'compensation', 'idempotencyKey'];
const QUEUE = 'errorHandler.deadLetterQueue';

/** Of what stands beside `actions`. */
export const placeBesideActions: PlaceOf = (name) => {
  if (SETTINGS.includes(name)) return `executionSettings.${name}`;
  if (name === 'schema' || name === 'inputSchema') return 'input.schema';
  if (OF_ACTION.includes(name)) return 'an action';
  return placeInErrorHandler(name);
};

/** Of what stands in `errorHandler`. */
export const placeInErrorHandler: PlaceOf = (name) => {
  if (name === 'deadLetterQueue') return QUEUE;
  if (QUEUE_MEMBERS.includes(name)) return `${QUEUE}.${name}`;
  const member = memberOfHandler(name);
  return member && `errorHandler.default.${member}, or errorHandler.actions.<id>.${member}`;
};

/** Of what stands in a handler, by its path. */
export function placeInHandler(path: string): PlaceOf {
  return (name) => {
    if (name === 'deadLetterQueue') return QUEUE;
    if (OF_ACTION.includes(name)) return 'the action itself';
    return RETRY_MEMBERS.includes(name) ? `${path}.retry.${name}` : undefined;
  };
}

/** Of what stands in an action, by its id. */
export function placeInAction(id: string, type: string): PlaceOf {
  return (name) => {
    if (name === 'errorHandler') return `errorHandler.actions.${id} of the workflow`;
    if (name === 'deadLetterQueue') return QUEUE;
    if (name === 'concurrencyKey') return 'executionSettings.concurrencyKey';
    if (OF_WORKFLOW.includes(name)) return `${name} of the workflow, beside actions`;
    if (name === 'escalation' && type === 'humanTask') return 'timeout.escalation';
    const member = memberOfHandler(name);
    return member && `errorHandler.actions.${id}.${member}`;
  };
}

/** `action` is left out: it is a member of loops, too, and of timeouts. */
function memberOfHandler(name: string): string | undefined {
  if (RETRY_MEMBERS.includes(name)) return `retry.${name}`;
  return name !== 'action' && HANDLER_MEMBERS.includes(name) ? name : undefined;
}
