/** What a supervisor tells a process before it can speak to it. */

/** Unix epoch milliseconds at which the relay as a whole was started. */
export const STARTED_MS = 'RELAY_PART_STARTED_MS';
/** Port on which the relay as a whole listens. */
export const OWN_PORT = 'RELAY_PART_OWN_PORT';
