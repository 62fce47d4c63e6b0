/** An example of each error: the words that the gateway itself uses. The compiler asks for a new code's. */
import { type ErrorCode, type ErrorDetails, errorBody, GatewayError } from '../../proto/errors.ts';
import { SAMPLE } from '../http/sample.ts';

type Words = readonly [message: string, details?: readonly ErrorDetails[]];

const EXAMPLES: Readonly<Record<ErrorCode, Words>> = {
  BAD_REQUEST: [
    'limit: is a number from 1 to 1000',
    [{ path: 'limit', message: 'is a number from 1 to 1000' }],
  ],
  PASSWORD_REQUIRED: ['password not provided'],
  INVALID_CONFIGURATION: [
    'Connection URL is required',
    [{ path: 'config.write_conn', message: 'Connection URL is required' }],
  ],
  ADDRESS_REFUSED: ['The relay may not connect to that address', [{ rule: 'address' }]],
  REQUEST_FAILED: [
    'The database refused the request: relation "orders" does not exist',
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
  RESET_TOKEN_INVALID: ['The reset token is unknown, used or expired'],
  TOKEN_REQUIRED: ['Authentication token required: see /docs'],
  TOKEN_INVALID: ['Invalid token format'],
  TOKEN_EXPIRED: ['Token has expired'],
  TOKEN_REVOKED: ['Token is no longer valid'],
  INVALID_CREDENTIALS: ['Invalid credentials'],
  FORBIDDEN: [
    'This operation needs Write access',
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
  QUOTA_EXCEEDED: ['The organization may have 1000 endpoints'],
  NOT_FOUND: ['There is nothing at /api/v1/endpoint: see /docs'],
  ENDPOINT_NOT_FOUND: [`Endpoint ${SAMPLE.endpoint} does not exist`],
  TEMPLATE_NOT_FOUND: ['Template order-summary does not exist'],
  WORKFLOW_NOT_FOUND: ['Workflow restock does not exist'],
  NODE_NOT_FOUND: [`Node ${SAMPLE.nodeUuid} does not exist`],
  SESSION_NOT_FOUND: ['There is no such session: it may have expired'],
  USER_NOT_FOUND: ['User not found in organization'],
  METHOD_NOT_ALLOWED: ['PUT is not a method of /api/v1/endpoints: it takes POST, GET'],
  CONSTRAINT_VIOLATED: [
    'The change violates a constraint of the database',
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
  ACCOUNT_EXISTS: [`User ${SAMPLE.ada} already exists`],
  ACCOUNT_UNVERIFIED: [`The owner of ${SAMPLE.bruno} has not verified the account yet`],
  MEMBERSHIP_EXISTS: [`User ${SAMPLE.bruno} is a member already`],
  LAST_SUPER_ADMIN: ['The organization needs a user who is SuperAdmin'],
  ENDPOINT_EXISTS: [`Endpoint ${SAMPLE.endpoint} already exists`],
  EDIT_CONFLICT: ['The rules were changed meanwhile: try again'],
  TRANSACTION_OPEN: ['The session has a write transaction open: end it before you read'],
  IDEMPOTENCY_KEY_RUNNING: ['A request with this Idempotency-Key is still running'],
  REPLY_NOT_KEPT: ['The request was answered with 200, and its reply is too large to be kept'],
  PRECONDITION_FAILED: ['If-Match: the resource is of another revision by now, read it again'],
  PAYLOAD_TOO_LARGE: ['The body is larger than 10485760 bytes'],
  UNSUPPORTED_MEDIA_TYPE: ['Send the body as Content-Type: application/json'],
  IDEMPOTENCY_KEY_REUSED: ['This Idempotency-Key was sent before with another body'],
  RATE_LIMITED: ['Too many requests: try again later'],
  INTERNAL: ['Something went wrong'],
  NOT_SUPPORTED: ['Endpoints of this kind are not supported'],
  CONNECTION_FAILED: ['Unable to connect to database: the connection was refused'],
  OUTCOME_UNKNOWN: ['The connection was lost after the request was sent: it may have taken effect'],
  SERVICE_UNAVAILABLE: ['Too many passwords wait to be checked'],
  POOL_EXHAUSTED: ['All connections of the endpoint are in use'],
  NODE_UNAVAILABLE: ['No node that can serve the endpoint is available'],
  SESSIONS_EXHAUSTED: ['The endpoint has as many sessions open as it may have'],
  DEVELOPMENT_ROUTE_MISSING: ['The endpoint has neither a development_conn nor a development node'],
  TIMED_OUT: ['The deadline passed before the backend answered'],
};

/** The body of an error reply of this code. */
export function errorExample(code: ErrorCode) {
  const [message, details = []] = EXAMPLES[code];
  return errorBody(new GatewayError(code, message, { details }), SAMPLE.requestId);
}
