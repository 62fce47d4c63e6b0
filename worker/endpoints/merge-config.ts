/** How a PATCH changes a configuration. RFC 7396; contract §5. */
import { isJsonObject, type Json } from '../../proto/json.ts';
import type { EndpointConfig } from './config.ts';
import { splitUrl } from './connection-url.ts';

/** Members beside the connections that go to whatever server a connection names. */
const CREDENTIALS = ['auth', 'api_key', 'headers'];

const isConnection = (member: string) => member.endsWith('_conn');

/**
 * The configuration after a patch: `null` removes; a `*_conn` and a `session.role` that is given
 * replaces the whole one (Spec: keys-and-doors.md §3, "member by member"). When a connection then names a server that none named before, stored credentials are
 * dropped unless the patch gives them: so a stored password cannot be sent to another server.
 */
export function mergeConfig(stored: EndpointConfig, patch: EndpointConfig): EndpointConfig {
  const before = serversOf(stored);
  const moved = serversOf(merge(stored, patch)).some((server) => !before.includes(server));
  return merge(moved ? withoutCredentials(stored) : stored, patch);
}

function merge(target: EndpointConfig, patch: EndpointConfig): EndpointConfig {
  const merged = new Map(Object.entries(target));
  for (const [member, value] of Object.entries(patch)) {
    const onto = isConnection(member) ? undefined : merged.get(member);
    if (value === null) merged.delete(member);
    else if (member === 'session') merged.set(member, mergeSession(onto, value));
    else merged.set(member, mergePatch(onto, value));
  }
  return Object.fromEntries(merged);
}

/** A role that were merged into another would keep entries of a map that its patch does not show. */
function mergeSession(target: Json | undefined, patch: Json): Json {
  const isOtherRole = isJsonObject(patch) && patch.role !== undefined;
  if (!isOtherRole || !isJsonObject(target)) return mergePatch(target, patch);
  const { role: _role, ...rest } = target;
  return mergePatch(rest, patch);
}

/** Applies a JSON Merge Patch. Source: RFC 7396, section 2. */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const merged = new Map(Object.entries(isJsonObject(target) ? target : {}));
  for (const [member, value] of Object.entries(patch)) {
    if (value === null) merged.delete(member);
    else merged.set(member, mergePatch(merged.get(member), value));
  }
  return Object.fromEntries(merged);
}

function withoutCredentials(config: EndpointConfig): EndpointConfig {
  const kept = Object.entries(config).filter(([member]) => !CREDENTIALS.includes(member));
  return Object.fromEntries(kept);
}

/** Where the connections lead, without users, databases and paths. */
function serversOf(config: EndpointConfig): string[] {
  return Object.entries(config)
    .filter(([member]) => isConnection(member))
    .map(([, connection]) => serverOf(connection));
}

/** Options count as well: a `host` among them may lead elsewhere, a `tls` may give the password away. */
function serverOf(connection: Json): string {
  if (!isJsonObject(connection)) return '';
  const { url, host, port, tls } = connection;
  if (typeof url !== 'string') return JSON.stringify([host, port, tls]);
  const parts = splitUrl(url);
  return parts ? `${parts.scheme}${parts.hosts}?${parts.options ?? ''}`.toLowerCase() : url;
}
