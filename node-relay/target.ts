/** The backend that a call names, checked before anything is looked up by it. */

import { isKind, type Kind } from '../kinds/index.ts';
import type { Caps, Mode, Profile, SessionSettings } from '../proto/driver.ts';
import { badRequest, type GatewayError } from '../proto/errors.ts';
import type { Target as TargetMessage } from '../proto/gen/relay/v1/relay_pb.ts';

/** A backend by its pool key and what the key says. */
export interface CallTarget {
  readonly kind: Kind;
  /** UUID; empty where the gateway does not say. */
  readonly organization: string;
  readonly endpoint: string;
  readonly poolKey: string;
  readonly revision: string;
  readonly mode: Mode;
  readonly profile: Profile;
  readonly caps: Caps;
  /** Compact JWE; empty unless the relay asked for it. */
  readonly sealed: string;
  readonly session: SessionSettings | undefined;
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const POOL_KEY =
  /^(?<endpoint>[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}):(?<revision>\d{1,19}):(?<mode>read|write):(?<profile>production|development)$/i;
const NO_CAPS: Caps = { total: 0, production: 0, development: 0 };

/**
 * Reads a call's target. The pool key must say what the other members say, so that a read never
 * uses a pool for writes; in a session, which has its own connection, its mode is not compared.
 * @throws GatewayError BAD_REQUEST
 */
export function parseTarget(message: TargetMessage | undefined, inSession = false): CallTarget {
  if (message === undefined) throw malformed('target');
  const { kind, organization, endpoint, poolKey, mode, profile } = message;
  const named = POOL_KEY.exec(poolKey)?.groups;
  if (!isKind(kind)) throw malformed('target.kind');
  if (mode !== 'read' && mode !== 'write') throw malformed('target.mode');
  if (profile !== 'production' && profile !== 'development') throw malformed('target.profile');
  if (organization !== '' && !UUID.test(organization)) throw malformed('target.organization');
  const agrees =
    named?.endpoint === endpoint && named.profile === profile && (inSession || named.mode === mode);
  if (named?.revision === undefined || !agrees) throw malformed('target.pool_key');
  return {
    kind,
    organization,
    endpoint,
    poolKey,
    revision: named.revision,
    mode,
    profile,
    caps: message.caps ?? NO_CAPS,
    sealed: message.sealedConnection,
    session: sessionOf(message),
  };
}

function sessionOf({ session }: TargetMessage): SessionSettings | undefined {
  if (session === undefined) return undefined;
  const { names, values, role, maySet } = session;
  if (names.length !== values.length) throw malformed('target.session');
  const settings = names.map((name, at) => [name, values[at] ?? ''] as const);
  return { settings, maySet, ...(role === '' ? {} : { role }) };
}

function malformed(path: string): GatewayError {
  return badRequest(path, 'is missing or wrong');
}

/** The target of a call that only writes make. @throws GatewayError BAD_REQUEST */
export function writing(target: CallTarget): CallTarget {
  if (target.mode !== 'write') throw badRequest('target.mode', 'must be write');
  return target;
}
