/** The organization's record as a caller may see it. Spec: "Organization record". Contract §4. */

import { byDefaultOf, type HeldLevel } from '../access/access.ts';
import { tokenRevoked } from '../access/tokens.ts';
import type { Context } from '../context.ts';
import type { OrganizationSettings } from '../db/schema.ts';
import { selectEndpointCount, selectReadableUuids } from '../endpoints/store.ts';
import { reaches } from '../levels.ts';
import { selectStored } from '../limits/quotas/store.ts';
import { defaultNode } from '../nodes/default-node.ts';
import { selectNodeUuids } from '../nodes/store.ts';
import { Tagged } from '../outcome.ts';
import type { Settings } from '../settings.ts';
import { isoTime } from '../shapes/iso-time.ts';
import { visible } from '../shapes/visible.ts';
import { selectTemplateCount } from '../templates/store.ts';
import { selectWorkflowCount } from '../workflows/store.ts';
import { sizeText } from './size-text.ts';
import { selectPeople, selectRecord, selectSuperAdmins } from './store.ts';

/** Entries of each of the record's lists; whole ones are under `/endpoints` and `/iam/users`. Spec silent. */
const LIST_MAX = 1000;
/** Spec silent except for `dataRetentionDays`, contract §5. */
const DEFAULTS = {
  defaultRegion: 'auto',
  enableAdvancedFeatures: false,
  dataRetentionDays: 90,
} as const;

/**
 * The whole record, in one trip to D1. Below Admin, callers see only themselves among the users, and the
 * UUIDs of what they may read. The ETag is of the organization's own
 * row: neither usage nor users, rules and endpoints change it.
 * @throws GatewayError TOKEN_REVOKED when the organization is gone since it was looked up
 */
export async function getOrganization(
  ctx: Context,
  { held, policy }: Pick<HeldLevel, 'held' | 'policy'>,
): Promise<Tagged> {
  const { db, caller, settings } = ctx;
  const { orgUuid } = caller;
  const isAdmin = reaches(held, 'Admin');
  const only = isAdmin ? undefined : caller.userUuid;
  const [
    [read],
    people,
    superAdmins,
    endpoints,
    [endpointCount],
    [templateCount],
    [workflowCount],
    [stored],
    nodes,
  ] = await db.batch([
    selectRecord(db, orgUuid),
    selectPeople(db, orgUuid, { only, limit: LIST_MAX }),
    selectSuperAdmins(db, orgUuid, LIST_MAX),
    selectReadableUuids(db, caller, { byDefault: byDefaultOf(policy), limit: LIST_MAX }),
    selectEndpointCount(db, orgUuid),
    selectTemplateCount(db, orgUuid),
    selectWorkflowCount(db, orgUuid),
    selectStored(db, orgUuid),
    selectNodeUuids(db, orgUuid, LIST_MAX),
  ]);
  if (!read) throw tokenRevoked();
  const { row, modifier } = read;
  const shown = settingsOf(row.settings, settings);
  const counts = {
    endpoints: endpointCount?.count ?? 0,
    templates: templateCount?.count ?? 0,
    workflows: workflowCount?.count ?? 0,
  };
  return new Tagged(String(row.revision), {
    id: row.id,
    uuid: row.uuid,
    name: row.name,
    super_admin_uuids: isAdmin ? superAdmins.map(({ uuid }) => uuid) : [],
    gateway_node_uuids: [(await defaultNode(settings)).uuid, ...nodes.map(({ uuid }) => uuid)],
    endpoint_uuids: endpoints.map(({ uuid }) => uuid),
    description: row.description,
    created_at: isoTime(row.createdAt),
    updated_at: isoTime(row.updatedAt),
    last_modified_by: visible(modifier ?? row.lastModifiedBy),
    settings: { ...shown },
    usage: {
      endpoints: { count: counts.endpoints, limit: shown.maxEndpoints },
      templates: { count: counts.templates, limit: settings.QUOTAS.templates },
      workflows: { count: counts.workflows, limit: settings.QUOTAS.workflows },
      storage: {
        used: sizeText(stored?.bytes ?? 0),
        limit: sizeText(settings.QUOTAS.storage),
      },
    },
    resources: {
      users: people.map(({ username, level, lastLoginAt, lastActiveAt }) => ({
        email: visible(username),
        accessLevel: level ?? 'None',
        lastActive: latest(lastLoginAt, lastActiveAt),
      })),
      resourceCounts: counts,
    },
  });
}

/** What is in force: the installation's quota bounds what the organization chose. */
function settingsOf(own: OrganizationSettings, { QUOTAS }: Settings) {
  const maxEndpoints = Math.min(own.maxEndpoints ?? QUOTAS.endpoints, QUOTAS.endpoints);
  return { ...DEFAULTS, ...own, maxEndpoints };
}

function latest(...times: readonly (number | null)[]): string | null {
  const last = Math.max(...times.map((each) => each ?? 0));
  return last === 0 ? null : isoTime(last);
}
