/** Scenarios without an equivalent, and why. */
import type { Without } from './scenario.ts';

/** All that have none. */
export const WITHOUT: readonly Without[] = [
  {
    feature: 'flow',
    scenario: 'Implicit Sequence Flow',
    reason: 'An action without `next` ends its list: what follows is always named',
  },
  {
    feature: 'emit',
    scenario: 'Emit Task',
    reason: 'No action sends an event: events come from clients, and from the service itself',
  },
  {
    feature: 'call',
    scenario: 'Call OpenAPI With Content Output',
    reason: 'An endpoint knows a server by its URL, not by a description of its API',
  },
  {
    feature: 'call',
    scenario: 'Call OpenAPI With Response Output',
    reason: 'An endpoint knows a server by its URL, not by a description of its API',
  },
];
