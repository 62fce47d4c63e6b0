/** What a login brings. Spec: "Authentication", login. RFC 7617. */
import { badRequest, GatewayError } from '../../proto/errors.ts';

/** A username, or an account's UUID, and a password, as the client gave them. */
interface Credentials {
  readonly user: string;
  readonly password: string;
}

const BASIC = /^basic +([A-Za-z0-9+/]+={0,2})$/i;

/**
 * Reads `Authorization: Basic`, in UTF-8. The first colon ends the username; the rest is password.
 * @throws GatewayError PASSWORD_REQUIRED when there is none that can be read, or no password in it
 */
export function credentialsOf(authorization: string | undefined): Credentials {
  const encoded = BASIC.exec(authorization?.trim() ?? '')?.[1];
  const text = encoded === undefined ? undefined : decode(encoded);
  const colon = text?.indexOf(':') ?? -1;
  const password = text?.slice(colon + 1);
  if (text === undefined || colon < 0 || !password) {
    throw new GatewayError('PASSWORD_REQUIRED', 'password not provided', {
      details: [{ path: 'Authorization', message: 'must be Basic, with username and password' }],
    });
  }
  return { user: text.slice(0, colon), password };
}

/**
 * The organization that a login names: an id or a UUID.
 * @throws GatewayError BAD_REQUEST
 */
export function organizationOf(header: string | undefined): string {
  const named = header?.trim();
  if (!named) {
    throw badRequest(
      'X-Org-Id',
      'is required: the id of the organization',
      'The header X-Org-Id is required',
    );
  }
  return named;
}

function decode(encoded: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined; // Neither base64 nor UTF-8: there is nothing more to tell.
  }
}
