/** Remembers which organizations call, so that the work of one rests only where others are about. Of an isolate, as its thread is. */
import { Arrivals } from '../../proto/work/arrivals.ts';

const callers = new Arrivals();

/** An organization calls. */
export function noteCaller(orgUuid: string): void {
  callers.note(orgUuid, performance.now());
}

/** Whether no other organization has called for 250 ms. */
export function isAlone(orgUuid: string): boolean {
  return callers.isAlone(orgUuid, performance.now());
}
