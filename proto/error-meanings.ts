/**
 * What each row of the error table means to a caller, in words; the documentation is made of it.
 * The compiler asks for a new code's words.
 */
import { CONFLICT_MEANINGS } from './conflict-meanings.ts';
import type { ErrorMeaning } from './error-meaning.ts';
import type { ErrorCode } from './errors.ts';

export type { Effect, ErrorMeaning, Retry } from './error-meaning.ts';

/** In the order of the table. Contract §2 says which is answered when. */
export const ERROR_MEANINGS: Readonly<Record<ErrorCode, ErrorMeaning>> = {
  BAD_REQUEST: {
    means: 'The path, the query, a header or the body is not what the operation takes.',
    remedy: 'Change what `details` name by `path`; the message says what would be right.',
  },
  PASSWORD_REQUIRED: {
    means: 'A login without a readable `Authorization: Basic` header.',
    remedy: 'Send username and password as HTTP Basic authentication.',
  },
  INVALID_CONFIGURATION: {
    means: 'The configuration of the endpoint lacks something, or holds what cannot be used.',
    remedy: 'Complete or correct the members of `config` that the message names.',
  },
  ADDRESS_REFUSED: {
    means: 'The address of the backend, or one that it redirects to, may not be connected to.',
    remedy:
      'Name another address, or have the operator open it by `RELAY_ALLOW`, for `http` and `pinecone` by `HTTP_ALLOW_PRIVATE`.',
  },
  REQUEST_FAILED: {
    means: 'The backend refused the request, such as for its syntax or a table that is missing.',
    remedy:
      "Correct the request by the message, which is the backend's own; its code is in `details`.",
    effect: 'told',
  },
  RESULT_TOO_LARGE: {
    means:
      'The result is larger than `RESULT_MAX_BYTES`, that of a JSON utility than four times `BODY_MAX_BYTES`; a write was rolled back where it can be.',
    remedy: 'Ask for less, or send `Accept: application/x-ndjson` to receive rows as a stream.',
    effect: 'told',
  },
  TEMPLATE_FAILED: {
    means:
      "A run of a template failed: a rule, a validation of its author's, its output against its schema, or a budget of the run.",
    remedy:
      'Change the input, or the template, by what `details` name; `POST /templates/{template}/render` shows every step.',
    effect: 'told',
  },
  RESET_TOKEN_INVALID: {
    means:
      'The token of a password reset is unknown, used, older than 30 minutes, or was sent to an earlier username.',
    remedy: 'Start the reset again and use the newest link.',
  },
  TOKEN_REQUIRED: {
    means: 'There is no bearer token, or none of the form `Authorization: Bearer <token>`.',
    remedy: 'Log in and send the token with every request.',
  },
  TOKEN_INVALID: {
    means: 'The token is not one that this gateway takes.',
    remedy: 'Send the token as it was issued, to the gateway that issued it.',
  },
  TOKEN_EXPIRED: {
    means: 'The token, or the login that it goes back to, is too old.',
    remedy: 'Log in again; before it expires, a token can be exchanged at `/auth/refresh`.',
  },
  TOKEN_REVOKED: {
    means:
      'The account, its membership or the organization is gone, the password or username was changed, or the membership began after the token was issued.',
    remedy: 'Log in again with the present password; else ask an Admin of the organization.',
  },
  INVALID_CREDENTIALS: {
    means: 'Organization, username and password do not belong together.',
    remedy: 'Check all three; which of them is wrong is not told.',
  },
  ENROLMENT_INVALID: {
    means: 'The enrolment secret is unknown, was used, or is older than an hour.',
    remedy: 'Get a new one with `POST /nodes/{node}/enrolment`.',
  },
  NODE_SIGNATURE_INVALID: {
    means:
      "A relay's request is not signed, is signed by another key than the node's or the one that it enrols with, or repeats a nonce.",
    remedy:
      'Sign it with the nonce in the header `Causeway-Nonce` of this reply; a relay does so by itself.',
    retry: 'later',
  },
  DELIVERY_SIGNATURE_INVALID: {
    means:
      'A delivery to a webhook is not signed, is signed with another secret or in another form, or was signed more than 300 seconds from now.',
    remedy:
      'Sign the body as it is sent, by the scheme and with a secret of the trigger, and set the clock right.',
  },
  FORBIDDEN: {
    means:
      "The caller's level is too low for the operation; the message names the one needed, and on what.",
    remedy: 'Ask an Admin for a grant; `/iam/rbac/check` explains which rule decided.',
  },
  QUOTA_EXCEEDED: {
    means: 'The organization has as many resources, or as much stored, as it may have.',
    remedy:
      'Delete what is not needed, wait until kept replies and runs have expired, lower `dataRetentionDays` where the audit is full (export it first), or have the operator raise `QUOTAS`.',
  },
  NOT_FOUND: {
    means: 'There is nothing by that name in the organization, or nothing at that path.',
    remedy: 'Check the path against `/docs`, and the id against the list it should be in.',
  },
  ENDPOINT_NOT_FOUND: {
    means: 'The organization has no endpoint of that id or UUID.',
    remedy: 'Name one that `GET /endpoints` lists.',
  },
  TEMPLATE_NOT_FOUND: {
    means: 'The organization has no template of that id or UUID.',
    remedy: 'Check the id, and the organization that the token is for.',
  },
  RUN_NOT_FOUND: {
    means:
      'There is no such run, it is not yours to see, or its time is over: 24 hours after the end of a template’s run, the retention of a workflow’s.',
    remedy: 'Check the id that starting the run answered.',
  },
  WORKFLOW_NOT_FOUND: {
    means: 'The organization has no workflow of that id or UUID.',
    remedy: 'Check the id, and the organization that the token is for.',
  },
  TASK_NOT_FOUND: {
    means: 'There is no such task, or you may not see its workflow.',
    remedy: 'Complete one that `GET /tasks?status=open` lists.',
  },
  DEAD_LETTER_NOT_FOUND: {
    means: 'The workflow has no such dead letter, or it has expired.',
    remedy: 'Take one that `GET /workflows/{workflow}/dead-letters` lists.',
  },
  NODE_NOT_FOUND: {
    means: 'The organization has no node of that UUID.',
    remedy: 'Name one that `GET /nodes` lists.',
  },
  KEY_NOT_FOUND: {
    means: 'The organization has no API key of that UUID, or of the name that a subject gives.',
    remedy: 'Name one that `GET /iam/keys` lists.',
  },
  SESSION_NOT_FOUND: {
    means:
      "The session is unknown, has expired or is another user's; what was open is rolled back.",
    remedy: 'Open a new session and begin the transaction again.',
  },
  TRANSACTION_NOT_FOUND: {
    means: "The transaction is unknown, was ended more than 7 days ago, or is another user's.",
    remedy: 'Name one that `GET /transactions` lists.',
  },
  USER_NOT_FOUND: {
    means: 'No member of the organization has that name or UUID.',
    remedy: 'Name one that `GET /iam/users` lists, or add the user first.',
  },
  METHOD_NOT_ALLOWED: {
    means: 'The path does not have this method.',
    remedy: 'Use one of those in the `Allow` header.',
  },
  NOT_ACCEPTABLE: {
    means: '`Accept` takes none of the forms that the reply can be had in.',
    remedy: 'Leave `Accept` out, or name one of the forms that the message tells.',
  },
  REQUEST_TIMEOUT: {
    means:
      'The body did not arrive in time: nothing of it came for `BODY_IDLE_S` seconds (30), or not all of it within `BODY_TOTAL_S` (300; without a token 10). The connection is closed.',
    remedy: 'Send the body without a pause, and a large one over a faster line or in parts.',
    retry: 'later',
  },
  ...CONFLICT_MEANINGS,
  PRECONDITION_FAILED: {
    means: 'The resource is no longer the revision that `If-Match` names.',
    remedy: 'Read it again, and send the change with the new `ETag`.',
  },
  PAYLOAD_TOO_LARGE: {
    means:
      'The body is larger than `BODY_MAX_BYTES`, without a token than 64 KiB, or something in it is over its own limit.',
    remedy: 'Send less at a time.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    means: 'The `Content-Type` or `Content-Encoding` of the body is not one that is taken.',
    remedy: 'Send JSON in UTF-8 as `application/json`, not compressed.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    means: 'This `Idempotency-Key` was sent before with another body.',
    remedy: 'Make a new key for each request that is not a repeat.',
  },
  RATE_LIMITED: {
    means: 'There were too many requests of this caller, organization or address.',
    remedy: 'Wait for `Retry-After` seconds; `RateLimit-Policy` tells the limit.',
    retry: 'later',
  },
  INTERNAL: {
    means: 'The gateway failed in an unexpected way; its log has the cause.',
    remedy: 'Tell the operator the `request_id`, and look whether a change was made.',
    retry: 'once known',
    effect: 'possible',
  },
  NOT_SUPPORTED: {
    means:
      'Endpoints of this kind, or the way in which this one is reached, do not have the operation.',
    remedy:
      'Use an operation that the kind has; where the message says so, set `config.transport`.',
  },
  CONNECTION_FAILED: {
    means:
      'The backend cannot be reached, refused the connection or broke it off; the message is `Unable to connect to database: ` and the cause.',
    remedy: "Check the backend and the endpoint's configuration; `/test` tries it.",
    retry: 'later',
  },
  OUTCOME_UNKNOWN: {
    means:
      'The connection was lost, or the deadline passed, after a change was sent: it may have taken effect.',
    remedy: 'Read what it should have changed, and only then decide whether to repeat it.',
    retry: 'once known',
    effect: 'possible',
  },
  SERVICE_UNAVAILABLE: {
    means:
      'Something that the request needs is too busy or not available at the moment. Also when eight large or expensive requests of the organization are in work: nothing of this one was done. Also when a node ended the request because it stops or runs out of memory: what was begun is undone. Also when the gateway cannot use its own storage, as on a full disk: nothing was changed.',
    remedy: 'Wait for `Retry-After` seconds.',
    retry: 'later',
  },
  POOL_EXHAUSTED: {
    means: "All connections of the endpoint are in use, and the request's time in the queue is up.",
    remedy: 'Wait for `Retry-After` seconds; make requests shorter, or raise the pool limits.',
    retry: 'later',
  },
  NODE_UNAVAILABLE: {
    means:
      'No relay that may serve the endpoint answers, or the result of a read was lost on its way.',
    remedy:
      'Wait for `Retry-After` seconds; `GET /endpoints/{endpoint}/nodes` shows the state of each relay.',
    retry: 'later',
  },
  SESSIONS_EXHAUSTED: {
    means:
      'The endpoint has as many sessions and transactions open as it may have: together half of its connections, at most 10. A transaction that meets this is rolled back.',
    remedy:
      "Wait for `Retry-After` seconds, or end those that are not needed; below 10, raise `total_max_connections` of the endpoint's `backend_pool_limits`.",
    retry: 'later',
  },
  TRANSACTION_IN_DOUBT: {
    means:
      'Another transaction holds an endpoint that this one uses, and it cannot be told how it ended there; nothing was done.',
    remedy:
      'Wait until its database is back, or have an Admin look there and say so: `POST /transactions/{transaction}/resolve`.',
    retry: 'later',
  },
  DEVELOPMENT_ROUTE_MISSING: {
    means:
      'The endpoint is of the development profile, and there is no development backend for it.',
    remedy: 'Give it a `development_conn`, place it on a development node, or change its profile.',
  },
  TIMED_OUT: {
    means: 'The deadline passed before the result was there; what was begun is undone.',
    remedy: 'Ask for less, or give `timeout_ms` up to 300000.',
    retry: 'later',
  },
};
