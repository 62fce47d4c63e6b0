/** What is told to those whose work is not taken. */
import { GatewayError } from '../errors.ts';

/** Seconds after which a refused caller may try again. */
const RETRY_AFTER_S = 1;

/** The client no longer reads the answer. @throws GatewayError SERVICE_UNAVAILABLE */
export function refuseGone(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new GatewayError('SERVICE_UNAVAILABLE', 'The client has gone');
}

/** An owner has as many large works as may be at hand. */
export function tooManyLarge(most: number): GatewayError {
  return tooMuch(`${most} large requests of this organization are being worked on`);
}

/** As many other works of an owner wait as may. */
export function tooManyWait(most: number): GatewayError {
  return tooMuch(`${most} requests of this organization wait for work that takes long`);
}

/** As many reads of records wait for their turn as may. */
export function tooManyRead(most: number): GatewayError {
  return tooMuch(`${most} reads of this organization, or from this address, wait for their turn`);
}

function tooMuch(which: string): GatewayError {
  const message = `${which}: try again later`;
  return new GatewayError('SERVICE_UNAVAILABLE', message, { retryAfter: RETRY_AFTER_S });
}
