/** Tokens in a URL, which Upstash takes and this gateway does not: URLs end in logs. Contract §1, "Base path". */
import { GatewayError } from '../../../proto/errors.ts';
import type { PublicContext } from '../../context.ts';
import type { Asking } from '../../route.ts';

/** Names that clients of such protocols give a token in a query. */
const TOKEN_NAME = /^_?(?:(?:access|auth|bearer)[_-]?)?token$/i;

/**
 * Refuses a request whose query has a token, whatever its headers have.
 * @throws GatewayError TOKEN_REQUIRED
 */
export async function refuseTokenInUrl(_ctx: PublicContext, { url }: Asking): Promise<void> {
  for (const name of new URL(url).searchParams.keys()) {
    if (!TOKEN_NAME.test(name)) continue;
    throw new GatewayError(
      'TOKEN_REQUIRED',
      `${name}: a token in the URL is not taken, send it as Authorization: Bearer`,
    );
  }
}
