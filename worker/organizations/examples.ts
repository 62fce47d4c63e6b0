/** Bodies and replies of the organization that the API's examples are about. */
import { SAMPLE } from '../shapes/sample.ts';

/** Body of `POST /new` in the shape with users. */
export const WITH_SUPER_ADMINS = {
  id: SAMPLE.orgId,
  description: 'The shop and its back office',
  super_admins: [
    {
      username: SAMPLE.ada,
      password: 'correct horse battery staple',
      description: 'Runs the shop',
    },
  ],
};

/** Body of `POST /new` in the shape with an address. */
export const WITH_ADMIN_EMAIL = {
  name: 'Acme',
  adminEmail: SAMPLE.ada,
  description: 'The shop and its back office',
  settings: { defaultRegion: 'eu-west', enableAdvancedFeatures: false },
};

/** What both answer. */
export const CREATED = {
  Ok: `Organization ${SAMPLE.orgId} was created with UUID ${SAMPLE.orgUuid}`,
};

/** Body of a PATCH, and what it answers. */
export const PATCH = {
  name: 'Acme',
  settings: { dataRetentionDays: 30, maxEndpoints: 50 },
};
export const UPDATED = {
  message: `Organization ${SAMPLE.orgId} updated`,
  updatedFields: ['name', 'settings.dataRetentionDays', 'settings.maxEndpoints'],
};

/** The record, as an Admin sees it. */
export const RECORD = {
  id: SAMPLE.orgId,
  uuid: SAMPLE.orgUuid,
  name: 'Acme',
  super_admin_uuids: [SAMPLE.adaUuid],
  gateway_node_uuids: [SAMPLE.nodeUuid],
  endpoint_uuids: [SAMPLE.endpointUuid],
  description: 'The shop and its back office',
  created_at: SAMPLE.founded,
  updated_at: SAMPLE.changed,
  last_modified_by: SAMPLE.ada,
  settings: {
    defaultRegion: 'eu-west',
    enableAdvancedFeatures: false,
    dataRetentionDays: 30,
    maxEndpoints: 50,
  },
  usage: {
    endpoints: { count: 1, limit: 50 },
    templates: { count: 0, limit: 1000 },
    workflows: { count: 0, limit: 1000 },
    storage: { used: '18.4 KiB', limit: '1 GiB' },
  },
  resources: {
    users: [
      { email: SAMPLE.ada, accessLevel: 'SuperAdmin', lastActive: SAMPLE.now },
      { email: SAMPLE.bruno, accessLevel: 'Read', lastActive: null },
    ],
    resourceCounts: { endpoints: 1, templates: 0, workflows: 0 },
  },
};
