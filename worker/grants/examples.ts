/** Bodies and replies about the permissions that the API's examples are about. */
import type { ResourceKind } from '../db/schema.ts';
import { SAMPLE } from '../shapes/sample.ts';

/** Which resource of a kind examples name. */
export const SAMPLE_IDS: Readonly<Record<ResourceKind, string>> = {
  organization: SAMPLE.orgId,
  endpoint: SAMPLE.endpoint,
  template: 'order-summary',
  workflow: 'nightly-report',
};

/** As names of components begin: `Endpoint`. */
export function componentOf(kind: ResourceKind): string {
  return `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
}

/** What a check of a refusal answers. */
export const CHECK = {
  allowed: false,
  level: 'Read',
  needed: 'Write',
  rule: `organization: Read for ${SAMPLE.bruno}`,
  considered: [
    {
      rule: `organization: Read for ${SAMPLE.bruno}`,
      decides: true,
      why: "Without a rule on the resource the organization's level counts",
    },
  ],
  grant: { access_level: 'Write', subject: SAMPLE.bruno, endpoint_id: SAMPLE.endpoint },
};

/** All permissions of a subject. */
export const SUMMARY = {
  subject: SAMPLE.bruno,
  organizations: { [SAMPLE.orgId]: 'Read' },
  endpoints: { [SAMPLE.endpoint]: 'Write' },
  templates: {},
  workflows: {},
};
