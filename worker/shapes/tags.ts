/** The groups that operations are shown in, and what each is about. */

/** In the order of a first reading. */
export const TAGS = {
  'Logging in': 'Tokens: get one, renew it, and get back in without the password.',
  Organizations: 'The tenant that a token belongs to, and everything in it.',
  Requests: "What is sent to an endpoint's backend: reads, writes, transactions and sessions.",
  Endpoints: 'Connections to backends: made, tried, changed and removed.',
  Nodes: 'Relays of your own: registered, enrolled, drained and removed.',
  Templates: 'Documents made out of others, and requests with placeholders: kept, run and shown.',
  Workflows: 'Actions in an order, with retries and compensation: kept, started and watched.',
  Transactions: 'Requests to several endpoints that take effect together or not at all.',
  'JSON utilities': 'Flattening, cutting and mapping JSON, without any backend.',
  Keys: 'Tokens of applications, which hold no password.',
  Users: 'Who is a member of the organization.',
  Grants: 'Who may do what, and why.',
  Audit: 'What was done, in a chain of hashes.',
  Help: 'What this gateway can do.',
} as const;

/** The group of an operation. */
export type Tag = keyof typeof TAGS;
