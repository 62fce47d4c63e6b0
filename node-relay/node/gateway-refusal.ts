/** What a gateway answers that does not take a request of a node. */
import * as z from 'zod';

const TOO_MANY = 429;
const Failure = z.object({ code: z.string(), message: z.string() });

/** A reply that is no success, in the gateway's own words. */
export class GatewayRefusal extends Error {
  override readonly name = 'Refused';
  readonly status: number;
  /** A key of ERRORS in proto/errors.ts; empty when it is not the gateway that answered. */
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }

  /** Whether asking again changes nothing. */
  get isFinal(): boolean {
    return this.status < 500 && this.status !== TOO_MANY;
  }
}

/** The refusal that a reply is. @param reply its JSON; undefined when it is none */
export function gatewayRefusal(status: number, reply: unknown): GatewayRefusal {
  const told = Failure.safeParse(reply).data;
  return told === undefined
    ? new GatewayRefusal(status, '', `The gateway answered with status ${status}`)
    : new GatewayRefusal(status, told.code, told.message);
}
