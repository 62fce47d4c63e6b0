/** What a backend is told of who calls: values for `config.session`. Spec: keys-and-doors.md §3. */
import type { CallerSource, RoleByCaller } from '../../kinds/caller-settings.ts';
import type { SessionSettings } from '../../proto/driver.ts';
import { GatewayError } from '../../proto/errors.ts';
import { keySubject } from '../access/api-keys/identity.ts';
import type { Context } from '../context.ts';
import type { CalledBy, Endpoint } from '../endpoints/access.ts';
import { effectiveLevel, type Level, lowerOf, reaches } from '../levels.ts';

/**
 * The values for a call, of who called whoever's rights it has, all of them on every one; undefined where the endpoint's configuration asks for none.
 * @throws GatewayError FORBIDDEN where no role is the caller's
 */
export function callerSettings(ctx: Context, endpoint: Endpoint): SessionSettings | undefined {
  const { callerSettings: asked } = endpoint.row;
  if (asked === null) return undefined;
  const { role: roleAsked, ...sources } = asked;
  const by = endpoint.calledBy ?? { caller: ctx.caller, policy: endpoint.policy };
  const level = effectiveLevel(by.policy);
  const groups = (by.caller.external?.groups ?? []).map((group) => group.slice('group:'.length));
  const role = roleAsked === undefined ? undefined : roleOf(roleAsked, level, groups);
  const held = (source: CallerSource): string => {
    switch (source) {
      case 'level':
        return level;
      case 'groups':
        return JSON.stringify(groups);
      case 'request_id':
        return ctx.requestId;
      case 'claims':
        return JSON.stringify({ ...claimsOf(by), sub: subOf(by), role: role ?? level });
      default:
        return identityOf(by)[source];
    }
  };
  const settings = Object.entries(sources).map(
    ([name, source]) => [name, text(held(source))] as const,
  );
  // Behind a door the author's text may set only for callers who may set themselves.
  const maySet = reaches(lowerOf(level, effectiveLevel(endpoint.policy)), 'Admin');
  return { settings, maySet, ...(role === undefined ? {} : { role }) };
}

function identityOf({ caller, policy }: CalledBy) {
  const { userId, userUuid, orgId, orgUuid, external, key } = caller;
  const uuid = key ? (key.owner ?? '') : userUuid;
  return {
    username: external ? userId : policy.username,
    user_uuid: external ? '' : uuid,
    organization: orgId,
    organization_uuid: orgUuid,
    key: key ? policy.username.slice('key:'.length) : '',
  };
}

/** Of the verified token, as far as it is known. */
function claimsOf({ caller }: CalledBy): object {
  const { userId, userUuid, orgId, orgUuid, issuedAt, expiresAt, external, key } = caller;
  if (external?.claims !== undefined) return JSON.parse(external.claims) as object;
  const account = key || external ? {} : { user_uuid: userUuid };
  const times = key ? {} : { iat: Math.floor(issuedAt / 1000), exp: Math.floor(expiresAt / 1000) };
  return { user_id: userId, ...account, org_id: orgId, org_uuid: orgUuid, ...times };
}

/** The token's own subject, the id of a key, or the user's UUID. */
function subOf({ caller: { userUuid, external, key } }: CalledBy): string {
  if (external) return userUuid.slice(external.issuer.length + 1);
  return key ? keySubject(key.uuid).slice('key:'.length) : userUuid;
}

function roleOf(asked: string | RoleByCaller, level: Level, groups: readonly string[]): string {
  if (typeof asked === 'string') return asked;
  const { from, map, default: other } = asked;
  const values: readonly string[] = from === 'level' ? [level] : groups;
  const found = values.find((value) => Object.hasOwn(map, value));
  const role = (found === undefined ? undefined : map[found]) ?? other;
  if (role !== undefined) return role;
  const has = from === 'level' ? `level ${level}` : 'groups';
  const message = `config.session has no role for callers of your ${has}`;
  throw new GatewayError('FORBIDDEN', message, {
    details: [{ rule: 'session_role', path: 'config.session.role', message }],
  });
}

/** No backend takes a NUL in a text. */
function text(value: string): string {
  return value.replaceAll('\0', '');
}
