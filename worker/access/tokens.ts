/** Access tokens: signed and verified here, and nowhere else. Spec: "Token claims". RFC 7519. */
import { base64url, errors, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import * as z from 'zod';
import { GatewayError } from '../../proto/errors.ts';
import type { Caller } from '../context.ts';
import type { Settings } from '../settings.ts';

/** Read from here, never from the token. */
const ALGORITHM = 'HS256';
/** Two times in milliseconds, of the login and of the issue, and a random part. */
const TOKEN_ID = /^(\d{1,15})\.(\d{1,15})\.[\w-]+$/;

const Claims = z.object({
  user_id: z.string().min(1),
  user_uuid: z.uuid(),
  org_id: z.string().min(1),
  org_uuid: z.uuid(),
  exp: z.int(),
  iat: z.int(),
  jti: z.string().regex(TOKEN_ID),
  // The gateway has no audience name, so it must refuse a token that names one. RFC 7519 §4.1.3.
  aud: z.undefined().optional(),
});

/** Whom a token is for, and when they logged in. */
export type Subject = Pick<Caller, 'userId' | 'userUuid' | 'orgId' | 'orgUuid' | 'loginAt'>;

/** A signed token and its end, in milliseconds since the Unix epoch. */
export interface IssuedToken {
  readonly token: string;
  readonly expiresAt: number;
}

/** Signs a token that lives `JWT_LIFETIME_S`, but not beyond `LOGIN_MAX_S` after the login. */
export async function issueToken(
  settings: Settings,
  subject: Subject,
  now: number,
): Promise<IssuedToken> {
  const issued = Math.floor(now / 1000);
  const end = Math.floor(subject.loginAt / 1000) + settings.LOGIN_MAX_S;
  const expires = Math.min(issued + settings.JWT_LIFETIME_S, end);
  const token = await new SignJWT({
    user_id: subject.userId,
    user_uuid: subject.userUuid,
    org_id: subject.orgId,
    org_uuid: subject.orgUuid,
  })
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
    .setIssuedAt(issued)
    .setExpirationTime(expires)
    .setJti(`${subject.loginAt}.${now}.${crypto.randomUUID()}`)
    .sign(signingKey(settings.JWT_SECRET));
  return { token, expiresAt: expires * 1000 };
}

/**
 * The caller a token was issued for; the current and the previous key are tried.
 * @throws GatewayError TOKEN_EXPIRED, TOKEN_INVALID
 */
export async function verifyToken(settings: Settings, token: string, now: number): Promise<Caller> {
  const claims = Claims.safeParse(await verifiedPayload(settings, token, now));
  if (!claims.success) throw tokenInvalid(claims.error);
  const { user_id, user_uuid, org_id, org_uuid, exp, jti } = claims.data;
  const [, loginAt, issuedAt] = TOKEN_ID.exec(jti) ?? [];
  return {
    userId: user_id,
    userUuid: user_uuid,
    orgId: org_id,
    orgUuid: org_uuid,
    loginAt: Number(loginAt),
    issuedAt: Number(issuedAt),
    expiresAt: exp * 1000,
  };
}

async function verifiedPayload(
  settings: Settings,
  token: string,
  now: number,
): Promise<JWTPayload> {
  try {
    return await payloadUnder(signingKey(settings.JWT_SECRET), token, now);
  } catch (cause) {
    const previous = settings.JWT_SECRET_PREVIOUS;
    if (!(cause instanceof errors.JWSSignatureVerificationFailed) || !previous)
      throw asTokenFault(cause);
    return payloadUnder(signingKey(previous), token, now).catch((again: unknown) => {
      throw asTokenFault(again);
    });
  }
}

/**
 * The claims of a token signed under `key`; nothing is known of them but their times.
 * @throws JOSEError of the fault's sort
 */
export async function payloadUnder(
  key: Uint8Array,
  token: string,
  now: number,
): Promise<JWTPayload> {
  if (!isCanonical(token)) throw new errors.JWSInvalid('Not in the one form of base64url');
  const { payload } = await jwtVerify(token, key, {
    algorithms: [ALGORITHM],
    typ: 'JWT',
    currentDate: new Date(now),
    requiredClaims: ['exp', 'iat', 'jti'],
  });
  return payload;
}

/** Decoders skip white space, padding and unused bits, which RFC 7515 §2 has no place for: one token, one text. */
export function isCanonical(token: string): boolean {
  return token.split('.').every((part) => {
    try {
      return base64url.encode(base64url.decode(part)) === part;
    } catch {
      return false;
    }
  });
}

/** As the contract names it, §13, "token faults"; what is no fault of a token stays what it is. */
function asTokenFault(cause: unknown): unknown {
  if (cause instanceof errors.JWTExpired) {
    return new GatewayError('TOKEN_EXPIRED', 'Token has expired', { cause });
  }
  return cause instanceof errors.JOSEError ? tokenInvalid(cause) : cause;
}

/** Not a token that is taken here, whatever is wrong with it. Contract §13, "token faults". */
export function tokenInvalid(cause?: unknown): GatewayError {
  return new GatewayError('TOKEN_INVALID', 'Invalid token format', { cause });
}

const keys = new Map<string, Uint8Array>();

function signingKey(secret: string): Uint8Array {
  const known = keys.get(secret) ?? new TextEncoder().encode(secret);
  keys.set(secret, known);
  return known;
}

/** The token's account or organization is gone. Contract §13, "token faults". */
export function tokenRevoked(): GatewayError {
  return new GatewayError('TOKEN_REVOKED', 'Token is no longer valid');
}
