/** What rules are held on: the same operations for every kind of resource, named after it. */
import { type ErrorCode, GatewayError } from '../../proto/errors.ts';
import type { EntityKind } from '../access/explain.ts';
import type { ResourceKind } from '../db/schema.ts';

const NOT_FOUND: Readonly<Record<EntityKind, ErrorCode>> = {
  endpoint: 'ENDPOINT_NOT_FOUND',
  template: 'TEMPLATE_NOT_FOUND',
  workflow: 'WORKFLOW_NOT_FOUND',
};

/** As paths and summaries name a kind: `endpoints`. */
export function pluralOf<Kind extends ResourceKind>(kind: Kind): `${Kind}s` {
  return `${kind}s`;
}

/** As an access record names a resource: `endpoint_id`. Spec: "Access record (RBAC)". */
export function idMemberOf<Kind extends ResourceKind>(kind: Kind): `${Kind}_id` {
  return `${kind}_id`;
}

/** As results name a resource: `endpointId`. Spec: "RBAC". */
export function resultMemberOf<Kind extends ResourceKind>(kind: Kind): `${Kind}Id` {
  return `${kind}Id`;
}

/** The error of a resource that is not there. */
export function notFoundOf(kind: ResourceKind): ErrorCode {
  return kind === 'organization' ? 'NOT_FOUND' : NOT_FOUND[kind];
}

/** The same for another organization's resource as for one that does not exist. */
export function resourceNotFound(kind: ResourceKind, named: string): GatewayError {
  const name = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
  return new GatewayError(notFoundOf(kind), `${name} ${named} does not exist`);
}
