/** An example of each error: the words that the gateway itself uses. The compiler asks for a new code's. */
import { type ErrorCode, type ErrorDetails, errorBody, toldMessage } from '../../proto/errors.ts';
import { SAMPLE } from './sample.ts';

type Words = readonly [message: string, details?: readonly ErrorDetails[]];

const EXAMPLES: Readonly<Record<ErrorCode, Words>> = {
  BAD_REQUEST: [
    'limit: must be a number from 1 to 1000',
    [{ path: 'limit', message: 'must be a number from 1 to 1000' }],
  ],
  PASSWORD_REQUIRED: [
    'password not provided',
    [{ path: 'Authorization', message: 'must be Basic, with username and password' }],
  ],
  INVALID_CONFIGURATION: [
    'Connection URL is required',
    [{ path: 'config.write_conn', message: 'Connection URL is required' }],
  ],
  ADDRESS_REFUSED: [
    'The address is not public, and the setting RELAY_ALLOW does not open it: the operator of the relay can name it there',
    [{ rule: 'address' }],
  ],
  REQUEST_FAILED: [
    'relation "orders" does not exist',
    [
      {
        source: 'postgres',
        code: '42P01',
        message: 'relation "orders" does not exist',
        position: 15,
      },
    ],
  ],
  RESULT_TOO_LARGE: [
    'The result is larger than 10485760 bytes; send Accept: application/x-ndjson to receive rows as a stream',
  ],
  TEMPLATE_FAILED: [
    'transformationRules.2: The quantity must be at least 1',
    [
      {
        path: 'transformationRules.2',
        message: 'The quantity must be at least 1',
        code: 'QUANTITY_TOO_SMALL',
      },
    ],
  ],
  RESET_TOKEN_INVALID: ['The reset token is unknown, was used, or has expired'],
  TOKEN_REQUIRED: [
    'Authentication token required',
    [{ path: 'Authorization', message: 'is required: see /docs' }],
  ],
  TOKEN_INVALID: ['Invalid token format'],
  TOKEN_EXPIRED: ['Token has expired'],
  TOKEN_REVOKED: ['Token is no longer valid'],
  INVALID_CREDENTIALS: ['Invalid credentials'],
  ENROLMENT_INVALID: ['The enrolment secret is unknown, was used, or has expired'],
  NODE_SIGNATURE_INVALID: [
    'The request is not signed with the key of the node, or there is no such node',
  ],
  DELIVERY_SIGNATURE_INVALID: ['The signature does not match'],
  FORBIDDEN: [
    `This operation needs Write access on endpoint ${SAMPLE.endpoint}`,
    [
      {
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
        grant: {
          access_level: 'Write',
          subject: SAMPLE.bruno,
          endpoint_id: SAMPLE.endpoint,
        },
      },
    ],
  ],
  QUOTA_EXCEEDED: ['The organization has as many endpoints as it may have'],
  NOT_FOUND: ['There is nothing at /api/v1/endpoint: see /docs'],
  ENDPOINT_NOT_FOUND: [`Endpoint ${SAMPLE.endpoint} does not exist`],
  TEMPLATE_NOT_FOUND: ['Template order-summary does not exist'],
  RUN_NOT_FOUND: ['There is no such run: it may be older than 24 hours'],
  WORKFLOW_NOT_FOUND: ['Workflow restock does not exist'],
  TASK_NOT_FOUND: [`Task ${SAMPLE.task} does not exist`],
  DEAD_LETTER_NOT_FOUND: [`Dead letter ${SAMPLE.letter} does not exist`],
  KEY_NOT_FOUND: ['Key shop-backend does not exist'],
  NODE_NOT_FOUND: [`Node ${SAMPLE.nodeUuid} does not exist`],
  SESSION_NOT_FOUND: ['There is no such session: it may have expired'],
  TRANSACTION_NOT_FOUND: [`Transaction ${SAMPLE.transaction} does not exist`],
  USER_NOT_FOUND: ['User not found in organization'],
  METHOD_NOT_ALLOWED: ['PUT is not a method of /api/v1/endpoints: it takes POST, GET, HEAD'],
  CONSTRAINT_VIOLATED: [
    'duplicate key value violates unique constraint "customers_pkey"',
    [
      {
        source: 'postgres',
        code: '23505',
        message: 'duplicate key value violates unique constraint "customers_pkey"',
        constraint: 'customers_pkey',
      },
    ],
  ],
  ORGANIZATION_EXISTS: [`Organization ${SAMPLE.orgId} already exists`],
  ACCOUNT_EXISTS: [`User ${SAMPLE.ada} already exists: name it with the password it has`],
  ACCOUNT_UNVERIFIED: [`User ${SAMPLE.bruno} must complete a password reset first`],
  MEMBERSHIP_EXISTS: [`User ${SAMPLE.bruno} is a member already`],
  LAST_SUPER_ADMIN: ['The organization needs a user who is SuperAdmin'],
  ENDPOINT_EXISTS: [`Endpoint ${SAMPLE.endpoint} already exists`],
  TEMPLATE_EXISTS: ['Template order-summary already exists'],
  TEMPLATE_VERSION_EXISTS: ['Template order-summary has a version 1.1.0 already'],
  ENDPOINT_IN_USE: [
    `Endpoint ${SAMPLE.endpoint} is in use: delete it with ?confirm=true`,
    [{ rule: 'in use', workflows: [SAMPLE.workflow] }],
  ],
  KEY_EXISTS: ['Key shop-backend already exists'],
  NODE_EXISTS: ['There is a node berlin-1, or one with that key'],
  NODE_IN_USE: [
    'Node berlin-1 is the only one of some endpoints: delete it with ?confirm=true',
    [{ rule: 'in use', endpoints: [SAMPLE.endpoint] }],
  ],
  NODE_RUNNING: ['Another process with the key of this node is running, and answers'],
  LAST_PLACEMENT: [
    `It is the last placement of endpoint ${SAMPLE.endpoint}: remove it with ?confirm=true`,
  ],
  WORKFLOW_EXISTS: [`Workflow ${SAMPLE.workflow} already exists`],
  WORKFLOW_VERSION_EXISTS: [`Workflow ${SAMPLE.workflow} has a version 1.1.0 already`],
  WORKFLOW_PATH_TAKEN: ['Another workflow has the path orders/paid'],
  WORKFLOW_RUNNING: [
    `Workflow ${SAMPLE.workflow} has 2 active runs: cancel them with ?confirm=true`,
    [{ rule: 'active runs', runs: 2 }],
  ],
  WORKFLOW_IN_USE: [
    `Workflow ${SAMPLE.workflow} is in use: delete it with ?confirm=true`,
    [{ rule: 'in use', workflows: ['refill'] }],
  ],
  TEMPLATE_IN_USE: [
    'Template order-summary is in use: delete it with ?confirm=true',
    [{ rule: 'in use', templates: ['order-report'], workflows: [] }],
  ],
  WORKFLOW_PAUSED: ['Workflow restock is paused'],
  RUN_CONFLICT: ['The run has succeeded: only one that failed or was cancelled can be retried'],
  TASK_CLOSED: ['The task was completed already, or rejected'],
  DEAD_LETTER_SPENT: ['The dead letter was redriven already'],
  EDIT_CONFLICT: ['The rules were changed meanwhile: try again'],
  TRANSACTION_OPEN: [
    'The session has a write transaction open, and takes no read inside it; send the SELECT to /write',
  ],
  TRANSACTION_CLOSED: [`Transaction ${SAMPLE.transaction} is committed`],
  TRANSACTION_DEADLOCK: [
    'It waits for a transaction that waits for it: one of them has to be rolled back',
  ],
  IDEMPOTENCY_KEY_RUNNING: ['The call with this Idempotency-Key still runs: ask again later'],
  REPLY_NOT_KEPT: [
    'The call with this Idempotency-Key was answered with 200, and its reply is larger than 1 MiB: it is not kept',
  ],
  PRECONDITION_FAILED: ['The resource is not as If-Match or If-None-Match asks: read it again'],
  NOT_ACCEPTABLE: ['Accept takes none of the forms of this reply: application/json'],
  REQUEST_TIMEOUT: ['Nothing of the body arrived for 30 s'],
  PAYLOAD_TOO_LARGE: ['The body is larger than 10485760 bytes'],
  UNSUPPORTED_MEDIA_TYPE: ['Send the body as Content-Type: application/json'],
  IDEMPOTENCY_KEY_REUSED: ['Idempotency-Key: was sent before with another body, take a new one'],
  RATE_LIMITED: ['Too many requests: try again later'],
  INTERNAL: ['Something went wrong'],
  NOT_SUPPORTED: ['Endpoints of this kind are not supported'],
  CONNECTION_FAILED: ['connection refused'],
  OUTCOME_UNKNOWN: ['The connection was lost after the request was sent: it may have taken effect'],
  SERVICE_UNAVAILABLE: ['Too many passwords wait to be checked'],
  POOL_EXHAUSTED: ['No connection to this endpoint became free in time'],
  NODE_UNAVAILABLE: ['No node that can serve the endpoint is available'],
  SESSIONS_EXHAUSTED: [
    "Sessions and transactions hold 5 of this endpoint's connections already, as many as they may: end one, or raise backend_pool_limits.total_max_connections, of which they may hold half, at most 10",
  ],
  TRANSACTION_IN_DOUBT: [
    `The transaction ${SAMPLE.transaction} is in doubt on an endpoint that this one uses: GET /transactions/${SAMPLE.transaction} tells where`,
  ],
  DEVELOPMENT_ROUTE_MISSING: [
    'The endpoint has the development profile, but no development_conn and no node for development',
  ],
  TIMED_OUT: ['The deadline passed before the backend answered'],
};

/** The body of an error reply of this code. */
export function errorExample(code: ErrorCode) {
  const [message, details = []] = EXAMPLES[code];
  // No error is made: it would be one while the worker starts. See docs/decisions/0034.
  return errorBody({ code, message: toldMessage(code, message), details }, SAMPLE.requestId);
}
