/** The one organization that all examples of the API's description are about: a small shop. */

/** Names and ids that examples have in common, so that one reads on where another ends. */
export const SAMPLE = {
  orgId: 'acme',
  orgUuid: '0b8f0a52-6c1e-4d5f-9a57-3f1c2f7d9e10',
  /** SuperAdmin, who made everything. */
  ada: 'ada@example.com',
  adaUuid: '5e1d8a3c-2f64-4b8e-8a0d-6b7c9d10e211',
  /** Has Read on the organization and Write on the endpoint. */
  bruno: 'bruno@example.com',
  brunoUuid: '9c42b7f6-7d3a-4e15-b3c8-1a2b3c4d5e6f',
  /** Invited, with no password yet. */
  chiyo: 'chiyo@example.com',
  chiyoUuid: '2f7e6d5c-4b3a-4928-8170-6f5e4d3c2b1a',
  /** A group that an identity provider names. */
  group: 'support',
  endpoint: 'shop',
  endpointUuid: 'd3b07384-d9a0-4c9b-8f3e-2a6f1b0c4e52',
  template: 'order-summary',
  templateUuid: '8c1f4e7a-2b5d-4a90-b6e3-0d9c8b7a6f51',
  workflow: 'ship-order',
  workflowUuid: '4e8b2c1d-7a6f-4d3e-9c5b-8f7e6d5c4b3a',
  run: '3c9d1b7e-5a2f-4e60-9b8c-7d6e5f4a3b21',
  transaction: '4kTz0QmX8sVb2RcN6wYdJp',
  /** Of the workflow. */
  task: '8e1f4a2c-6b7d-4c90-a5e3-1d2f3b4c5a69',
  letter: '4b8d2e6f-1a3c-4d7e-b9f0-5c6a7b8d9e01',
  /** A run of a workflow, and one that it is compared with. */
  execution: 'a7c3e9d1-4f2b-4a86-8d5c-0e9f1b2a3c4d',
  earlier: 'c2d4f6a8-0b1c-4e3d-9f5a-7b8c9d0e1f2a',
  nodeUuid: '7a1c5e90-3b2d-4f68-a1e4-c5d6e7f80912',
  /** When the organization was made; then the endpoint, its last change, and now. */
  founded: '2026-03-02T08:00:00.000Z',
  created: '2026-03-02T08:15:30.250Z',
  changed: '2026-03-09T14:02:11.480Z',
  now: '2026-03-10T09:30:00.000Z',
  requestId: 'b6f4d2c8-91a7-4c3e-8d5b-0f1e2d3c4b5a',
  /** Not a real one: opaque to clients. */
  token:
    'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJvcmdfaWQiOiJhY21lIn0.c2lnbmF0dXJlLW9mLXRoaXMtZXhhbXBsZQ',
  session: 'v1.ZXhhbXBsZS1zZXNzaW9u.bGVhc2VkLWNvbm5lY3Rpb24',
  cursor: 'v1.Zm9yLXRoZS1leGFtcGxl.bmV4dC1wYWdl',
} as const;
