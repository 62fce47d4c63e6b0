/** What a `Host` may be, and the message for an invalid one. */
import { badRequest, type GatewayError } from '../../proto/errors.ts';

/** A name, an IPv4 address or an IPv6 address in brackets, and a port. RFC 9110 §7.2, except for what no resolver takes. */
const FORM = /^(?:[\da-z_][\w.-]{0,252}|\[[\da-f:.]{2,45}\])(?::(\d{0,5}))?$/i;
const PORT_MAX = 65_535;

/** Whether the text is a host as a URL has it, and nothing else of a URL. */
export function isHost(text: string): boolean {
  const found = FORM.exec(text);
  return found !== null && Number(found[1] ?? '') <= PORT_MAX && URL.canParse(`http://${text}/`);
}

/** What is said of such a request. */
export function hostRefused(): GatewayError {
  const message =
    'must be a host name or an address, with a port or without, and the target a path';
  return badRequest('Host', message);
}
